// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// node is an object with what ties it to others.
type node struct {
	key  Key
	kind Kind
	obj  *unstructured.Unstructured
	// outline says that only the metadata were read.
	outline bool
	// owners are those of ownerReferences, nil where there is no such object; owned is the other direction.
	owners []*node
	owned  []*node
	// refs are what the spec refers to, users who refers to it.
	refs  []tie
	users []*node
	// why says how it came into the plan; empty while it isn't.
	why      string
	excluded bool
	mode     Mode
}

// tie is a reference that leads to an object.
type tie struct {
	field string
	to    *node
}

func (n *node) selected() bool { return n.why != "" }

// labelled says whether the object, or its kind, asks to be moved.
func (n *node) labelled() bool {
	labels := n.obj.GetLabels()
	_, move := labels[moveLabel]
	_, hierarchy := labels[hierarchyLabel]
	return move || hierarchy || n.kind.Labelled || n.kind.Hierarchy
}

// graph is everything that was read.
type graph struct {
	kinds Kinds
	nodes []*node
	byUID map[types.UID]*node
	byKey map[Key]*node
	// tied is up to where nodes are tied to others.
	tied int
	// open are references that lead to no object that was read.
	open map[Key][]*node
	// belonging are objects by the cluster that their label or spec names.
	belonging map[types.NamespacedName][]*node
}

func newGraph(kinds Kinds) *graph {
	return &graph{
		kinds: kinds, byUID: map[types.UID]*node{}, byKey: map[Key]*node{}, open: map[Key][]*node{},
		belonging: map[types.NamespacedName][]*node{},
	}
}

// add takes an object in; one that is there already is filled in where only its outline was known.
func (g *graph) add(k Kind, u *unstructured.Unstructured, outline bool) {
	key := Key{k.GroupKind(), u.GetNamespace(), u.GetName()}
	if n := g.byKey[key]; n != nil {
		if n.outline && !outline {
			n.obj, n.outline = u, false
			g.tieRefs(n)
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

// tie connects the nodes that were added since the last time.
func (g *graph) tie() {
	fresh := g.nodes[g.tied:]
	g.tied = len(g.nodes)
	for _, n := range fresh {
		g.tieOwners(n)
		if !n.outline {
			g.tieRefs(n)
		}
		if name := capi.ClusterNameOf(n.obj); name != "" {
			at := types.NamespacedName{Namespace: n.key.Namespace, Name: name}
			g.belonging[at] = append(g.belonging[at], n)
		}
	}
	for _, n := range fresh { // who was looking for them
		for _, user := range g.open[n.key] {
			user.refs = append(user.refs, tie{"", n})
			n.users = append(n.users, user)
		}
		delete(g.open, n.key)
	}
}

// tieOwners finds owners by UID, and where that is nobody's by kind and name: an object that was restored from somewhere may name
// its owner's old UID or an older API version.
// Source: kubernetes-sigs/cluster-api#7022.
func (g *graph) tieOwners(n *node) {
	for _, r := range n.obj.GetOwnerReferences() {
		owner := g.byUID[r.UID]
		if owner == nil {
			gv, _ := schema.ParseGroupVersion(r.APIVersion)
			gk := schema.GroupKind{Group: gv.Group, Kind: r.Kind}
			owner = g.byKey[keyFor(g.kinds, gk, n.key.Namespace, r.Name)]
		}
		n.owners = append(n.owners, owner)
		if owner != nil && owner != n {
			owner.owned = append(owner.owned, n)
		}
	}
}

// only finds the one object of a kind and name, whatever namespace it is in.
func (g *graph) only(k Key) *node {
	var found *node
	for _, n := range g.nodes {
		if n.key.GroupKind == k.GroupKind && n.key.Name == k.Name {
			if found != nil {
				return nil
			}
			found = n
		}
	}
	return found
}

func (g *graph) tieRefs(n *node) {
	for _, r := range refsOf(n.obj, g.kinds) {
		if _, known := g.kinds[r.key.GroupKind]; !known {
			continue
		}
		to := g.byKey[r.key]
		if to == nil && r.key.Namespace == "" && g.kinds[r.key.GroupKind].Namespaced {
			to = g.only(r.key) // a cluster-scoped object that says the name only
		}
		if to == nil {
			g.open[r.key] = append(g.open[r.key], n)
			continue
		}
		if to != n {
			n.refs = append(n.refs, tie{r.field, to})
			to.users = append(to.users, n)
		}
	}
}
