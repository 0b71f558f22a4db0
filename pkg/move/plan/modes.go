// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// modes finds what has to stay as well, because something that stays needs it.
func (s *selection) modes() {
	m := &moder{selection: s, told: map[*node]bool{}}
	for _, n := range s.nodes {
		s.steps++
		switch {
		case n.selected():
			m.stayBySelf(n)
		case !n.outline && !n.isSecretOrConfigMap():
			for _, r := range n.refs {
				m.stay(r.to, n, "used by")
			}
		}
	}
	m.labelSets()
	m.spread()
	s.pools()
}

// moder is one run of modes.
type moder struct {
	*selection
	queue []*node
	// told are objects that can't stay and of which that was said already.
	told map[*node]bool
}

// stay makes a copy of what was to be moved, because of something that stays.
func (m *moder) stay(n, because *node, how string) {
	m.steps++
	if !n.selected() || n.mode == Copy {
		return
	}
	if !m.canStay(n) {
		if !m.told[n] {
			m.told[n] = true
			m.warnf("%s stays, and refers to %s, which moves away: it won't find it any more", because.key, n.key)
		}
		return
	}
	m.copyOnly(n, how+" "+because.key.String())
}

func (m *moder) copyOnly(n *node, why string) {
	if n.mode != Copy {
		n.mode = Copy
		n.why += "; stays too: " + why
		m.queue = append(m.queue, n)
	}
}

// canStay says whether an object may be on both sides: what nobody acts upon, what isn't any cluster's, what a cluster that stays has a
// part in. Anything else, like a Machine, would be managed twice.
func (m *moder) canStay(n *node) bool {
	switch kind := n.key.Kind; {
	case n.isCluster():
		return false
	case n.isSecretOrConfigMap(), n.key.Namespace == "", kind == capi.KindClusterClass, isPool(n):
		return true
	case strings.HasSuffix(kind, "Template"), strings.HasSuffix(kind, "Identity"):
		return true
	}
	return !m.onlyOurs(n)
}

// onlyOurs says whether an object belongs to clusters that move and to no other.
func (s *selection) onlyOurs(n *node) bool {
	for _, c := range n.clusters.list {
		s.steps++
		if !s.goes(c) {
			return false
		}
	}
	return len(n.clusters.list) > 0
}

// stayBySelf finds what stays because of where or what it is.
func (m *moder) stayBySelf(n *node) {
	ns := n.key.Namespace
	switch {
	case m.scope.All:
	case ns == "":
		m.copyOnly(n, "it is for the whole management cluster")
	case !m.around(ns) && !n.included:
		m.copyOnly(n, "its namespace isn't part of the move")
	case !m.inScope(ns) && n.direct && !n.included && !n.isCluster() && len(n.clusters.list) == 0:
		m.copyOnly(n, "nothing says which cluster it belongs to")
	}
	for _, o := range n.owners {
		if o == nil || o.selected() || o.excluded || !o.kind.CAPI() || n.mode == Copy {
			continue
		}
		m.copyOnly(n, "owned by "+o.key.String())
		m.warnf("%s is also owned by %s, which stays: it is copied without that owner, and stays where it is too", n.key, o.key)
	}
}

// labelSets keeps sets of resources that are applied to clusters that stay.
func (m *moder) labelSets() {
	staying := map[string][]*node{}
	for _, n := range m.nodes {
		if n.isCluster() && !n.selected() {
			staying[n.key.Namespace] = append(staying[n.key.Namespace], n)
		}
	}
	for ns, sets := range m.sets {
		for _, set := range sets {
			if !set.node.selected() {
				continue
			}
			for _, c := range staying[ns] {
				m.steps++
				if set.matches(c) {
					m.copyOnly(set.node, "applied to "+c.key.String())
					break
				}
			}
		}
	}
}

// spread keeps what a copy needs where it stays.
func (m *moder) spread() {
	for len(m.queue) > 0 {
		n := m.queue[0]
		m.queue = m.queue[1:]
		for _, r := range n.refs {
			if !r.to.isCluster() {
				m.stay(r.to, n, "used by")
			}
		}
		for _, o := range n.owners {
			if o != nil && !o.isCluster() && m.canStay(o) {
				m.stay(o, n, "owner of")
			}
		}
		for _, o := range n.owned {
			if o.selected() && o.mode == Move && m.canStay(o) && !hasMovingOwner(o) {
				m.copyOnly(o, "owned by "+n.key.String())
			}
		}
	}
}

func hasMovingOwner(n *node) bool {
	for _, o := range n.owners {
		if o != nil && o != n && o.selected() && o.mode == Move {
			return true
		}
	}
	return false
}

// isPool says whether an object hands out addresses.
func isPool(n *node) bool {
	return strings.HasSuffix(n.key.Kind, "Pool") && strings.Contains(n.key.Group, "ipam")
}

// pools warns of pools from which both sides will take addresses.
func (s *selection) pools() {
	if len(s.remaining()) == 0 {
		return
	}
	for _, n := range s.nodes {
		if n.selected() && n.mode == Copy && isPool(n) {
			s.warnf("%s is copied, and clusters that stay can go on taking addresses from it: two that hand out the same addresses are dangerous; give each side a range of its own", n.key)
		}
	}
}

// remaining are the Clusters that stay.
func (s *selection) remaining() (out []types.NamespacedName) {
	for _, n := range s.nodes {
		if n.isCluster() && !n.selected() {
			out = append(out, n.name())
		}
	}
	return out
}

func (s *selection) warnf(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}
