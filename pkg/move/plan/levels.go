// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// leveler gives every object a level: owners below what they own, and below that what admission webhooks and controllers look for when
// an object comes.
type leveler struct {
	list  []*node
	ranks []rank
	at    map[*node]int
	steps *int
}

// rank is one object's place. The numbers are positions in the list.
type rank struct {
	level int
	// owners come before the object; wants are what should come before it.
	owners, wants []int
	// late are owners, by position in ownerReferences, that come after the object after all.
	late []int
}

// newLeveler takes the objects in an order that doesn't depend on how they were read.
func newLeveler(list []*node, steps *int) *leveler {
	l := &leveler{list: list, ranks: make([]rank, len(list)), at: make(map[*node]int, len(list)), steps: steps}
	for i, n := range list {
		l.at[n] = i
	}
	for i, n := range list {
		r := &l.ranks[i]
		for _, o := range n.owners {
			*steps++
			if at, ok := l.at[o]; ok && o != nil && o != n {
				r.owners = append(r.owners, at)
			}
		}
		for _, t := range n.refs {
			*steps++
			if at, ok := l.at[t.to]; ok && needed(n, t) {
				r.wants = append(r.wants, at)
			}
		}
	}
	return l
}

// needed says whether an object should be there before one that refers to it.
func needed(n *node, t tie) bool {
	to := t.to
	switch {
	case to.key.Kind == capi.KindClusterClass, n.key.Kind == capi.KindClusterClass: // templates, then the class, then its Clusters
		return true
	case n.key.Group == capi.GroupAddons, isPool(to), to.key.Kind == "IPAddressClaim", to.key.Kind == "IPClaim":
		return true
	}
	return to.key.Namespace == "" || strings.HasSuffix(to.key.Kind, "Identity") || strings.HasSuffix(lastField(t.field), "dentityRef")
}

// run assigns the levels and says which circles it had to cut.
func (l *leveler) run() (warnings []string) {
	warnings = l.cutCircles()
	l.dropContrary()
	before := make([][]int, len(l.list)) // what comes after each
	open := make([]int, len(l.list))
	for i, r := range l.ranks {
		for _, from := range slices.Concat(r.owners, r.wants) {
			before[from] = append(before[from], i)
			open[i]++
		}
	}
	var ready []int
	for i, n := range open {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, next := range before[i] {
			*l.steps++
			l.ranks[next].level = max(l.ranks[next].level, l.ranks[i].level+1)
			if open[next]--; open[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return warnings
}

// level is the number of a node, late its owners that come later.
func (l *leveler) level(n *node) int  { return l.ranks[l.at[n]].level }
func (l *leveler) late(n *node) []int { return l.ranks[l.at[n]].late }

// order compares two objects of one level.
func order(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
