// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	ponds "github.com/clusterctl/clusterctl/test/graph"
)

var graphSeed = flag.Uint64("graph-seed", 0, "seed of the random graphs; 0 takes one at random")

// TestRandomGraphs plans random graphs, with owners in circles: everything that is reachable from a Cluster over what it owns is in the
// plan once, nothing else is, and the order is right.
func TestRandomGraphs(t *testing.T) {
	seed := *graphSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	for i := range uint64(200) {
		r := rand.New(rand.NewPCG(seed+i, 1))
		objs, kinds := randomObjects(r, 1+r.IntN(60))
		p, err := FromObjects(objs, kinds, Scope{Clusters: clusters("team/o0")})
		if err != nil {
			t.Fatalf("-graph-seed=%d: %v", seed+i, err)
		}
		wellFormed(t, p)
		want := reachable(objs)
		for _, o := range p.Objects {
			if !want[o.UID] {
				t.Errorf("%s is in the plan, but not reachable", o.Key)
			}
			delete(want, o.UID)
		}
		for uid := range want {
			t.Errorf("%s is reachable, but not in the plan", uid)
		}
		if t.Failed() {
			t.Fatalf("repeat with -graph-seed=%d", seed+i)
		}
	}
}

// randomObjects are a Cluster and objects of a kind of another group, each owned by up to two others of any position.
func randomObjects(r *rand.Rand, n int) ([]*unstructured.Unstructured, Kinds) {
	kinds := Kinds{}
	for _, gvk := range [][3]string{{"cluster.x-k8s.io", "v1beta2", "Cluster"}, {"example.com", "v1", "Part"}} {
		k := Kind{Namespaced: true, CRD: gvk[2], Plural: gvk[2] + "s"}
		k.Group, k.Version, k.Kind = gvk[0], gvk[1], gvk[2]
		kinds[k.GroupKind()] = k
	}
	var objs []*unstructured.Unstructured
	for i := range n {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion("example.com/v1")
		u.SetKind("Part")
		if i == 0 {
			u.SetAPIVersion("cluster.x-k8s.io/v1beta2")
			u.SetKind("Cluster")
		}
		u.SetName(fmt.Sprintf("o%d", i))
		u.SetNamespace("team")
		u.SetUID(types.UID(u.GetName()))
		objs = append(objs, u)
	}
	for _, u := range objs[1:] {
		var refs []metav1.OwnerReference
		for range r.IntN(3) {
			o := objs[r.IntN(n)]
			refs = append(refs, metav1.OwnerReference{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Name: o.GetName(), UID: o.GetUID()})
		}
		u.SetOwnerReferences(refs)
	}
	// An owner that isn't in the plan is a fault, so objects that the Cluster doesn't lead to own nothing that it leads to.
	in := reachable(objs)
	for _, u := range objs {
		var kept []metav1.OwnerReference
		for _, ref := range u.GetOwnerReferences() {
			if !in[u.GetUID()] || in[ref.UID] {
				kept = append(kept, ref)
			}
		}
		u.SetOwnerReferences(kept)
	}
	return objs, kinds
}

// reachable is a plain way to find what the first object owns, over however many others.
func reachable(objs []*unstructured.Unstructured) map[types.UID]bool {
	in := map[types.UID]bool{objs[0].GetUID(): true}
	for grown := true; grown; {
		grown = false
		for _, u := range objs {
			for _, ref := range u.GetOwnerReferences() {
				if in[ref.UID] && !in[u.GetUID()] {
					in[u.GetUID()], grown = true, true
				}
			}
		}
	}
	return in
}

// TestWorkGrowsLinearly counts steps, not time: four times the clusters are about four times the work, in a namespace of their own or all
// together, with a template that all of them share.
func TestWorkGrowsLinearly(t *testing.T) {
	for _, scope := range []Scope{{All: true}, {Namespaces: []string{"team"}}, {Clusters: clusters("team/c0")}} {
		small, large := stepsFor(t, 50, scope), stepsFor(t, 200, scope)
		if ratio := float64(large) / float64(small); ratio > 4.4 {
			t.Errorf("%+v: %d steps for 50 clusters, %d for 200: %.1f times", scope, small, large, ratio)
		}
	}
}

func stepsFor(t *testing.T, n int, scope Scope) int {
	t.Helper()
	kinds := Kinds{}
	for _, k := range ponds.Kinds(ponds.Version) {
		kind := Kind{Namespaced: !k.Cluster, Status: true, CRD: k.Plural() + "." + k.Group, Plural: k.Plural()}
		kind.Group, kind.Version, kind.Kind = k.Group, k.Version, k.Kind
		kinds[kind.GroupKind()] = kind
	}
	shared := &unstructured.Unstructured{Object: map[string]any{}}
	shared.SetAPIVersion("infrastructure.cluster.x-k8s.io/" + ponds.Version)
	shared.SetKind("PondMachineTemplate")
	shared.SetNamespace("team")
	shared.SetName("shared")
	var refs []metav1.OwnerReference
	objs := []*unstructured.Unstructured{shared}
	for i := range n {
		name := fmt.Sprintf("c%d", i)
		objs = append(objs, ponds.Cluster("team", name, ponds.Version)...)
		refs = append(refs, metav1.OwnerReference{APIVersion: "cluster.x-k8s.io/" + ponds.Version, Kind: "Cluster", Name: name})
	}
	shared.SetOwnerReferences(refs)
	s, err := selectFrom(objs, kinds, scope)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.conclude(nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := n*ponds.ObjectsPerCluster + 1; len(scope.Clusters) == 0 && len(p.Objects) != want {
		t.Errorf("%d objects, want %d", len(p.Objects), want)
	}
	if p.Levels > 8 {
		t.Errorf("%d levels", p.Levels)
	}
	return s.steps
}
