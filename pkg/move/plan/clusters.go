// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// clusterSet is the clusters that an object belongs to: nearly always one or none, but thousands for a template that they share.
type clusterSet struct {
	list []types.NamespacedName
	set  map[types.NamespacedName]struct{}
}

// add says whether the cluster is new.
func (s *clusterSet) add(c types.NamespacedName) bool {
	const few = 8
	if s.set != nil {
		if _, ok := s.set[c]; ok {
			return false
		}
		s.set[c] = struct{}{}
	} else if slices.Contains(s.list, c) {
		return false
	}
	s.list = append(s.list, c)
	if s.set == nil && len(s.list) > few {
		s.set = make(map[types.NamespacedName]struct{}, 2*few)
		for _, c := range s.list {
			s.set[c] = struct{}{}
		}
	}
	return true
}

// namedCluster is the cluster that an object names as its own; "" if it names none.
func namedCluster(u *unstructured.Unstructured) string {
	if name := capi.ClusterNameOf(u); name != "" {
		return name
	}
	// ClusterResourceSetBinding up to v1alpha4 is its cluster's by name; add-on providers' objects have a clusterRef.
	if name := textAt(u, "spec", "clusterRef", "name"); name != "" {
		return name
	}
	if u.GroupVersionKind().GroupKind() == bindingGK() {
		return u.GetName()
	}
	return ""
}

// assign gives a node to a cluster, and everything that it owns or that is there for it, in circles too.
func (g *graph) assign(n *node, c types.NamespacedName) {
	todo := []*node{n}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		g.steps++
		if n.isCluster() && n.name() != c || !n.clusters.add(c) {
			continue // a Cluster is its own, whoever owns it
		}
		todo = append(append(todo, n.owned...), n.attached...)
	}
}

// belong finds out to which clusters fresh nodes belong: by name, and by what owns them.
func (g *graph) belong(fresh []*node) {
	for _, n := range fresh {
		if n.isCluster() {
			g.assign(n, n.name())
			continue
		}
		if n.key.Namespace != "" {
			if name := namedCluster(n.obj); name != "" {
				c := types.NamespacedName{Namespace: n.key.Namespace, Name: name}
				g.byCluster[c] = append(g.byCluster[c], n)
				g.assign(n, c)
			}
		}
		for _, o := range n.owners {
			g.inherit(n, o)
		}
	}
}

// inherit gives a node to its owner's clusters.
func (g *graph) inherit(n, owner *node) {
	if owner == nil {
		return
	}
	for _, c := range owner.clusters.list {
		g.assign(n, c)
	}
}
