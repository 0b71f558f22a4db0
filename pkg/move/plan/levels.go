// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// leveler gives every object a level: owners below what they own, and below that what admission webhooks and controllers look for when
// an object comes.
type leveler struct {
	list []*node
	in   map[*node]*rank
}

type rank struct {
	level, open int
	// after must come after this one; soft are those of them that only should.
	after, soft []*node
	// late are owners, by position, that come after the object after all.
	late []int
	done bool
}

func newLeveler(list []*node) *leveler {
	l := &leveler{list: list, in: make(map[*node]*rank, len(list))}
	for _, n := range list {
		l.in[n] = &rank{}
	}
	for _, n := range list {
		seen := map[*node]bool{n: true}
		for _, o := range n.owners {
			if o != nil && !seen[o] && l.in[o] != nil {
				seen[o] = true
				l.in[o].after = append(l.in[o].after, n)
				l.in[n].open++
			}
		}
		for _, r := range n.refs {
			if !seen[r.to] && l.in[r.to] != nil && needed(n, r.to) {
				seen[r.to] = true
				l.in[r.to].soft = append(l.in[r.to].soft, n)
				l.in[n].open++
			}
		}
	}
	return l
}

// needed says whether an object should be there before one that refers to it.
func needed(n, to *node) bool {
	switch {
	case slices.ContainsFunc(to.owners, func(o *node) bool { return o == n }):
		return false
	case to.key.Kind == capi.KindClusterClass, n.key.Kind == capi.KindClusterClass:
		return true
	case n.key.Group == capi.GroupAddons, strings.HasSuffix(to.key.Kind, "Pool") && strings.Contains(to.key.Group, "ipam"), to.key.Kind == "IPAddressClaim":
		return true
	}
	return to.key.Namespace == "" || strings.HasSuffix(to.key.Kind, "Identity")
}

// run assigns the levels and says which circles it had to cut.
func (l *leveler) run() (warnings []string) {
	var ready []*node
	for _, n := range l.list {
		if l.in[n].open == 0 {
			ready = append(ready, n)
		}
	}
	left := len(l.list)
	at := 0
	softCut := false
	for left > 0 {
		for len(ready) > 0 {
			n := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			r := l.in[n]
			if r.done {
				continue
			}
			r.done = true
			left--
			for _, next := range slices.Concat(r.after, r.soft) {
				x := l.in[next]
				if x.done {
					continue
				}
				x.level = max(x.level, r.level+1)
				if x.open--; x.open == 0 {
					ready = append(ready, next)
				}
			}
		}
		switch {
		case left == 0:
		case !softCut: // owners count more than what should come first
			softCut = true
			ready = l.cutSoft()
		default:
			for l.in[l.list[at]].done {
				at++
			}
			warnings = append(warnings, l.cutOwners(l.list[at]))
			ready = append(ready, l.list[at])
		}
	}
	return warnings
}

func (l *leveler) cutSoft() (ready []*node) {
	for _, n := range l.list {
		if r := l.in[n]; !r.done {
			for _, next := range r.soft {
				if x := l.in[next]; !x.done {
					if x.open--; x.open == 0 {
						ready = append(ready, next)
					}
				}
			}
			r.soft = nil
		}
	}
	return ready
}

// cutOwners lets an object come before those of its owners that wait for it themselves.
func (l *leveler) cutOwners(n *node) string {
	r := l.in[n]
	var names []string
	for i, o := range n.owners {
		if o != nil && o != n && l.in[o] != nil && !l.in[o].done {
			r.late = append(r.late, i)
			names = append(names, o.key.String())
			l.in[o].after = slices.DeleteFunc(l.in[o].after, func(x *node) bool { return x == n })
		}
	}
	r.open = 0
	return fmt.Sprintf("the owners of %s go in a circle (%s): it is made first, and gets that owner afterwards", n.key, strings.Join(names, ", "))
}

// order compares two objects of one level.
func order(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
