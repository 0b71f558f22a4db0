// SPDX-License-Identifier: Apache-2.0

package move

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

var (
	graphSeed  = flag.Uint64("graph-seed", 0, "seed of the random graphs; 0 takes one at random")
	graphCount = flag.Int("graphs", 6, "how many random graphs are moved")
)

// TestRandomGraphs moves random graphs, with shared owners, cluster-scoped objects and circles, to another server: there they equal
// their sources, and every owner is there.
func TestRandomGraphs(t *testing.T) {
	withKinds(t, graph.Version)
	seed := *graphSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	for i := range *graphCount {
		seed := seed + uint64(i)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			ctx := within(t, 2*time.Minute)
			r := rand.New(rand.NewPCG(seed, 1))
			objs := randomGraph(r, "random", 1+r.IntN(120))
			if err := graph.Load(ctx, left.REST, objs); err != nil {
				t.Fatal(err)
			}
			a, b := connect(t, left), connect(t, right)
			closeCirclesOf(t, a, objs)
			before := look(t, a, graph.Version, "random")
			opts := Options{Source: a, Target: b, Scope: plan.Scope{All: true}, AllowProvisioning: true}
			if _, err := Run(ctx, opts); err != nil {
				t.Fatalf("repeat with -graph-seed=%d -graphs=1: %v", seed, err)
			}
			sameWorld(t, fmt.Sprintf("on the target (repeat with -graph-seed=%d -graphs=1)", seed), before, look(t, b, graph.Version, "random"))
			sameWorld(t, "left on the source", world{}, look(t, a, graph.Version, "random"))
			clear(t, b, graph.Version, "random")
		})
	}
}

// randomGraph makes n objects of random kinds, each owned by up to three earlier ones.
func randomGraph(r *rand.Rand, namespace string, n int) []*unstructured.Unstructured {
	kinds := graph.Kinds(graph.Version)
	var objs []*unstructured.Unstructured
	for i := range n {
		k := kinds[r.IntN(len(kinds))]
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"number": int64(i), "text": fmt.Sprint(r.IntN(1000))}}}
		u.SetAPIVersion(k.APIVersion())
		u.SetKind(k.Kind)
		u.SetName(fmt.Sprintf("o%d", i))
		if !k.Cluster {
			u.SetNamespace(namespace)
		}
		if r.IntN(3) == 0 {
			u.SetFinalizers([]string{"example.com/held"})
		}
		if r.IntN(4) == 0 {
			u.Object["status"] = map[string]any{"seen": int64(r.IntN(9)), "list": []any{"a", map[string]any{"b": true}}}
		}
		for range r.IntN(4) {
			if len(objs) == 0 {
				break
			}
			owner := objs[r.IntN(len(objs))]
			if owner.GetNamespace() == "" || u.GetNamespace() != "" { // a cluster-scoped object can't be owned by a namespaced one
				ownOnce(u, owner)
			}
		}
		objs = append(objs, u)
	}
	return objs
}

func ownOnce(u, owner *unstructured.Unstructured) {
	for _, r := range u.GetOwnerReferences() {
		if r.Name == owner.GetName() {
			return
		}
	}
	refs, _, _ := unstructured.NestedSlice(u.Object, "metadata", "ownerReferences")
	refs = append(refs, map[string]any{"apiVersion": owner.GetAPIVersion(), "kind": owner.GetKind(), "name": owner.GetName()})
	_ = unstructured.SetNestedSlice(u.Object, refs, "metadata", "ownerReferences")
}

// closeCirclesOf gives the first namespaced object that is owned an object that it owns itself for an owner.
func closeCirclesOf(t *testing.T, c *kube.Client, objs []*unstructured.Unstructured) {
	t.Helper()
	for _, u := range objs {
		refs := u.GetOwnerReferences()
		if u.GetNamespace() == "" || len(refs) == 0 {
			continue
		}
		for _, o := range objs {
			if o.GetName() != refs[0].Name || o.GetNamespace() == "" {
				continue
			}
			live, err := c.Get(t.Context(), u.GroupVersionKind(), u.GetNamespace(), u.GetName())
			if err != nil {
				t.Fatal(err)
			}
			patch := fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q}]}}`, u.GetAPIVersion(), u.GetKind(), u.GetName(), live.GetUID())
			if _, err := c.Patch(t.Context(), o.GroupVersionKind(), o.GetNamespace(), o.GetName(), types.MergePatchType, []byte(patch)); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}
