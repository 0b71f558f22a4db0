// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

func bindingGK() schema.GroupKind {
	return schema.GroupKind{Group: capi.GroupAddons, Kind: "ClusterResourceSetBinding"}
}

func fromMap(m map[string]any, into any) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// assemble makes the plan of what was selected.
func (s *selection) assemble(orphans []matcher) (*Plan, error) {
	p := &Plan{Warnings: s.modes()}
	var list []*node
	for _, n := range s.nodes {
		if n.selected() {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b *node) int { return order(a.key, b.key) })
	l := newLeveler(list)
	p.Warnings = append(p.Warnings, l.run()...)
	slices.SortStableFunc(list, func(a, b *node) int { return cmp.Compare(l.in[a].level, l.in[b].level) })
	at := make(map[*node]int, len(list))
	for i, n := range list {
		at[n] = i
	}
	var faults fault.List
	clusters := map[*node]types.NamespacedName{}
	namespaces, kinds := map[string]bool{}, map[schema.GroupVersionKind]bool{}
	for _, n := range list {
		o := &Object{
			Key: n.key, Version: n.kind.Version, UID: n.obj.GetUID(), Mode: n.mode, Why: n.why, Level: l.in[n].level, Late: l.in[n].late,
			Deleting: n.obj.GetDeletionTimestamp() != nil, Source: n.obj,
		}
		status, _ := n.obj.Object["status"].(map[string]any)
		o.HasStatus = n.kind.Status && len(status) > 0
		s.owners(n, o, at, orphans, &faults)
		o.Cluster = s.clusterOf(n, clusters, 0)
		c := s.byKey[Key{capi.ClusterGK(), o.Cluster.Namespace, o.Cluster.Name}]
		o.PausedByCluster = c != nil && c.selected() && c != n
		p.Objects = append(p.Objects, o)
		p.Levels = max(p.Levels, o.Level+1)
		if n.key.Namespace != "" {
			namespaces[n.key.Namespace] = true
		}
		kinds[n.kind.GroupVersionKind] = true
		if len(n.kind.Stored) > 0 {
			faults.Add(staleStorage(n.kind))
		}
	}
	for ns := range namespaces {
		p.Namespaces = append(p.Namespaces, ns)
	}
	slices.Sort(p.Namespaces)
	for k := range kinds {
		p.Kinds = append(p.Kinds, k)
	}
	slices.SortFunc(p.Kinds, func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.String(), b.String()) })
	p.Left = s.left()
	p.Warnings = append(p.Warnings, s.dangling()...)
	return p, faults.Err()
}

func staleStorage(k Kind) error {
	err := fault.Refusedf("objects of %s may still be stored as %s, and nobody converts them to %s while the controllers stand still", k.CRD, strings.Join(k.Stored, ", "), k.Version)
	return fault.WithHint(err, "migrate them first (Cluster API's controllers do it by themselves from v1.11 on; else write each object once), until status.storedVersions of the CRD is [%s]", k.Version)
}

// owners fills in where an object's owners are in the plan, and finds those that can't come along.
func (s *selection) owners(n *node, o *Object, at map[*node]int, orphans []matcher, faults *fault.List) {
	for i, ref := range n.obj.GetOwnerReferences() {
		owner := n.owners[i]
		if owner != nil && owner.selected() {
			o.Owners = append(o.Owners, at[owner])
			continue
		}
		o.Owners = append(o.Owners, -1)
		o.Outside = append(o.Outside, ref)
		if anyMatches(orphans, n) || owner != nil && n.mode == Copy {
			continue
		}
		faults.Add(fault.WithHint(fault.Refusedf("%s can't be moved with its owner %s %s: %s", n.key, ref.Kind, ref.Name, s.whyNot(owner, ref)),
			"move it without that owner with --allow-orphans %s/%s, or leave it with --exclude", n.key.Kind, strings.TrimPrefix(n.key.Namespace+"/"+n.key.Name, "/")))
	}
}

func (s *selection) whyNot(owner *node, ref metav1.OwnerReference) string {
	gv, _ := schema.ParseGroupVersion(ref.APIVersion)
	_, known := s.kinds[schema.GroupKind{Group: gv.Group, Kind: ref.Kind}]
	switch {
	case owner != nil && owner.excluded:
		return "that is left out by --exclude"
	case owner != nil:
		return "that isn't part of the move"
	case known:
		return "there is no such object"
	}
	return fmt.Sprintf("a %s (%s) isn't moved", ref.Kind, ref.APIVersion)
}

// manyDangling is how many references that lead nowhere are named.
const manyDangling = 10

// dangling names what objects of the plan refer to though it doesn't exist: the move can't bring it.
func (s *selection) dangling() []string {
	var out []string
	for key, users := range s.open {
		for _, u := range users {
			if u.selected() {
				out = append(out, fmt.Sprintf("%s refers to %s, which isn't there", u.key, key))
				break
			}
		}
	}
	slices.Sort(out)
	if n := len(out); n > manyDangling {
		out = append(out[:manyDangling], fmt.Sprintf("and %d more references lead nowhere", n-manyDangling))
	}
	return out
}

// maxDepth ends the way up along owners that go in a circle.
const maxDepth = 16

// clusterOf is the cluster that an object belongs to: itself, what label or spec say, or its owner's.
func (s *selection) clusterOf(n *node, known map[*node]types.NamespacedName, depth int) types.NamespacedName {
	if c, ok := known[n]; ok {
		return c
	}
	var c types.NamespacedName
	switch name := capi.ClusterNameOf(n.obj); {
	case n.key.GroupKind == capi.ClusterGK():
		c = types.NamespacedName{Namespace: n.key.Namespace, Name: n.key.Name}
	case name != "" && n.key.Namespace != "":
		c = types.NamespacedName{Namespace: n.key.Namespace, Name: name}
	case depth < maxDepth:
		for _, o := range n.owners {
			if o == nil || o == n {
				continue
			}
			if c = s.clusterOf(o, known, depth+1); c.Name != "" {
				break
			}
		}
	}
	known[n] = c
	return c
}

// left are objects of Cluster API in the namespaces of the move that stay.
func (s *selection) left() []Left {
	var out []Left
	for _, n := range s.nodes {
		switch {
		case n.selected():
		case n.excluded:
			out = append(out, Left{Key: n.key, Why: "left out by --exclude"})
		case n.key.Namespace == "" || !s.inScope(n.key.Namespace):
		case n.kind.CAPI():
			out = append(out, Left{Key: n.key, Why: "nothing of the move leads to it"})
		case n.key.Kind == "Secret" && s.looksLikeAClusters(n):
			out = append(out, Left{Key: n.key, Why: "its name begins like a cluster's, but nothing of the move refers to it; take it along with --include Secret/" + n.key.Name})
		}
	}
	slices.SortFunc(out, func(a, b Left) int { return order(a.Key, b.Key) })
	return out
}

func (s *selection) looksLikeAClusters(n *node) bool {
	for at := range s.belonging {
		if at.Namespace == n.key.Namespace && strings.HasPrefix(n.key.Name, at.Name+"-") {
			return true
		}
	}
	return false
}
