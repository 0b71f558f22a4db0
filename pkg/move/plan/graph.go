// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// graph is everything that was read.
type graph struct {
	kinds  Kinds
	reader *reader
	nodes  []*node
	byUID  map[types.UID]*node
	byKey  map[Key]*node
	// tied is up to where nodes are tied to others.
	tied int
	// open is who looks for an object that wasn't read (yet).
	open map[Key][]wish
	// byCluster are objects by the cluster that their label or spec names.
	byCluster map[types.NamespacedName][]*node
	// steps counts the work, for a test that it grows with the number of objects and no faster.
	steps int
}

// wish is an object's reference, or the owner at one position, that leads to nothing.
type wish struct {
	of    *node
	field string
	owner int
}

const noOwner = -1

func newGraph(kinds Kinds) *graph {
	g := &graph{
		kinds: kinds, byUID: map[types.UID]*node{}, byKey: map[Key]*node{}, open: map[Key][]wish{}, byCluster: map[types.NamespacedName][]*node{},
	}
	g.reader = newReader(kinds, &g.steps)
	return g
}

// add takes an object in; one that is there already is filled in where only its outline was known.
func (g *graph) add(k Kind, u *unstructured.Unstructured, outline bool) {
	key := Key{k.GroupKind(), u.GetNamespace(), u.GetName()}
	if n := g.byKey[key]; n != nil {
		if n.outline && !outline {
			n.obj, n.outline = u, false
			g.tieRefs(n)
			if name := namedCluster(u); name != "" && key.Namespace != "" {
				g.assign(n, types.NamespacedName{Namespace: key.Namespace, Name: name})
			}
		}
		return
	}
	n := &node{key: key, kind: k, obj: u, outline: outline}
	g.nodes = append(g.nodes, n)
	g.byKey[key] = n
	if u.GetUID() != "" {
		g.byUID[u.GetUID()] = n
	}
}

// tie connects the nodes that were added since the last time, with each other and with those before, and returns them.
func (g *graph) tie() []*node {
	fresh := g.nodes[g.tied:]
	g.tied = len(g.nodes)
	slices.SortFunc(fresh, func(a, b *node) int { return order(a.key, b.key) }) // the plan doesn't depend on the order of reading
	for _, n := range fresh {
		g.tieOwners(n)
		if !n.outline {
			g.tieRefs(n)
		}
	}
	g.belong(fresh)
	for _, n := range fresh {
		wishes := g.open[n.key]
		delete(g.open, n.key)
		for _, w := range wishes {
			if w.owner == noOwner {
				g.refer(w.of, w.field, n)
				continue
			}
			w.of.owners[w.owner] = n
			n.owned = append(n.owned, w.of)
			g.inherit(w.of, n)
		}
	}
	return fresh
}

// tieOwners finds owners by UID, and where that is nobody's by kind and name: an object that was restored from somewhere may name
// its owner's old UID or an older API version.
// Source: kubernetes-sigs/cluster-api#7022.
func (g *graph) tieOwners(n *node) {
	for i, r := range n.obj.GetOwnerReferences() {
		g.steps++
		owner := g.byUID[r.UID]
		if owner == nil {
			gv, _ := schema.ParseGroupVersion(r.APIVersion)
			key := keyFor(g.kinds, schema.GroupKind{Group: gv.Group, Kind: r.Kind}, n.key.Namespace, r.Name)
			if owner = g.byKey[key]; owner == nil {
				g.open[key] = append(g.open[key], wish{of: n, owner: i})
			}
		}
		n.owners = append(n.owners, owner)
		if owner != nil && owner != n {
			owner.owned = append(owner.owned, n)
		}
	}
}

func (g *graph) tieRefs(n *node) {
	for _, r := range g.reader.refs(n.kind, n.obj) {
		to := g.byKey[r.key]
		if to == nil && r.key.Namespace == "" && g.kinds[r.key.GroupKind].Namespaced {
			to = g.only(r.key)
		}
		if to != nil {
			g.refer(n, r.field, to)
			continue
		}
		g.open[r.key] = append(g.open[r.key], wish{of: n, field: r.field, owner: noOwner})
	}
}

// only finds the one object of a kind and name, in whatever namespace it is; nil if there are several. (For the few cluster-scoped objects
// that say a name only, and of which nobody knows where their provider runs.)
func (g *graph) only(k Key) (found *node) {
	for _, n := range g.nodes {
		g.steps++
		if n.key.GroupKind == k.GroupKind && n.key.Name == k.Name {
			if found != nil {
				return nil
			}
			found = n
		}
	}
	return found
}

// refer ties a reference.
func (g *graph) refer(n *node, field string, to *node) {
	g.steps++
	if to == n {
		return
	}
	n.refs = append(n.refs, tie{field, to})
	if slices.Contains(backFields(), lastField(field)) {
		to.attached = append(to.attached, n)
		g.inherit(n, to)
	}
}
