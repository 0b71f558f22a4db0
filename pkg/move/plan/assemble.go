// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// assemble makes the plan of what was selected. Faults come with it.
func (s *selection) assemble() (*Plan, fault.List) {
	s.modes()
	list := slices.DeleteFunc(slices.Clone(s.nodes), func(n *node) bool { return !n.selected() })
	slices.SortFunc(list, func(a, b *node) int { return order(a.key, b.key) })
	l := newLeveler(list, &s.steps)
	s.warnings = append(s.warnings, l.run()...)
	slices.SortStableFunc(list, func(a, b *node) int { return cmp.Compare(l.level(a), l.level(b)) })
	at := make(map[*node]int, len(list))
	for i, n := range list {
		at[n] = i
	}
	p := &Plan{Objects: make([]*Object, 0, len(list))}
	orphans := &orphanage{selection: s}
	namespaces, kinds := map[string]bool{}, map[schema.GroupVersionKind]bool{}
	for _, n := range list {
		o := s.object(n)
		o.Level, o.Late = l.level(n), l.late(n)
		for i, owner := range n.owners {
			s.steps++
			if owner != nil && owner.selected() {
				o.Owners = append(o.Owners, at[owner])
				continue
			}
			ref := n.obj.GetOwnerReferences()[i]
			o.Owners, o.Outside = append(o.Owners, -1), append(o.Outside, ref)
			orphans.add(n, owner, ref)
		}
		p.Objects = append(p.Objects, o)
		p.Levels = max(p.Levels, o.Level+1)
		if n.key.Namespace != "" {
			namespaces[n.key.Namespace] = true
		}
		kinds[o.GVK()] = true
	}
	p.Namespaces = slices.Sorted(maps.Keys(namespaces))
	p.Kinds = slices.SortedFunc(maps.Keys(kinds), func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.String(), b.String()) })
	p.Remaining = s.remaining()
	slices.SortFunc(p.Remaining, func(a, b types.NamespacedName) int { return cmp.Compare(a.String(), b.String()) })
	s.leftReferences()
	s.dangling()
	p.Left = s.left()
	faults := orphans.faults()
	return p, faults
}

// object is a node's part of the plan, without what depends on others.
func (s *selection) object(n *node) *Object {
	o := &Object{
		Key: n.key, Version: n.obj.GroupVersionKind().Version, UID: n.obj.GetUID(), Mode: n.mode, Why: n.why,
		Deleting: n.obj.GetDeletionTimestamp() != nil, Source: n.obj,
	}
	if status, _ := n.obj.Object["status"].(map[string]any); n.kind.Status && len(status) > 0 {
		o.HasStatus = true
	}
	if len(n.clusters.list) == 1 {
		o.Cluster = n.clusters.list[0]
	}
	o.PausedByCluster = !n.isCluster() && s.onlyOurs(n) && s.known(n.clusters.list)
	o.LosesOwners = n.mode == Copy && len(n.owners) > 0 && !slices.ContainsFunc(n.owners, func(o *node) bool { return o == nil || o == n || !o.selected() || o.mode == Copy })
	return o
}

// known says whether all of some clusters are there: one that is only a name on a label holds nobody's controllers.
func (s *selection) known(list []types.NamespacedName) bool {
	for _, c := range list {
		if n := s.byKey[clusterKey(c)]; n == nil || !n.selected() {
			return false
		}
	}
	return true
}
