// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

func heron(t *testing.T, ns, text string) *Set {
	t.Helper()
	s, err := Load(parse(t, "heron.yaml", text), LoadOptions{Name: "heron", Namespace: ns})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestApplyTwice(t *testing.T) {
	c, base := server(t, "apply-twice")
	ns := base + "-new" // a namespace that isn't there
	s := heron(t, ns, fixture(t, "cluster.yaml"))
	ctx := deadline(t, 30*time.Second)
	first, err := Apply(ctx, c, s, ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := first.Summary(); got != "6 created" {
		t.Errorf("first run: %s", got)
	}
	uids := clusterUIDs(t, c, ns)
	before := len(env.Writes(t, "^apply-twice"))

	second, err := Apply(ctx, client(t, "apply-twice"), heron(t, ns, fixture(t, "cluster.yaml")), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := second.Summary(); got != "6 unchanged" {
		t.Errorf("second run: %s", got)
	}
	if d := cmp.Diff(uids, clusterUIDs(t, c, ns)); d != "" {
		t.Errorf("uids (-first +second):\n%s", d)
	}
	if extra := env.Writes(t, "^apply-twice")[before:]; len(extra) > 0 {
		t.Errorf("the second run wrote %q", extra)
	}
}

func clusterUIDs(t *testing.T, c *kube.Client, ns string) map[string]types.UID {
	t.Helper()
	b, err := FindBelongings(t.Context(), c, key(ns, "heron"), "")
	if err != nil {
		t.Fatal(err)
	}
	u, err := getCluster(t.Context(), c, key(ns, "heron"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]types.UID{"Cluster": u.GetUID()}
	for _, o := range b.Objects {
		out[o.GVK.Kind+"/"+o.Name] = o.UID
	}
	return out
}

func TestApplyRefuses(t *testing.T) {
	cases := map[string]struct {
		seed, add string
		code      fault.Code
		want      []string
		hint      string
	}{
		"kinds that aren't served": {
			add: "---\napiVersion: infrastructure.cluster.x-k8s.io/v1\nkind: LakeCluster\nmetadata: {name: heron}\n" +
				"---\napiVersion: controlplane.cluster.x-k8s.io/v1\nkind: LakeControlPlane\nmetadata: {name: heron}\n" +
				"---\napiVersion: cluster.x-k8s.io/v1alpha2\nkind: MachineSet\nmetadata: {name: heron}\n",
			code: fault.Refused,
			want: []string{
				"3 of their kinds", "LakeCluster (infrastructure.cluster.x-k8s.io/v1), heron.yaml:37",
				"LakeControlPlane", "MachineSet (cluster.x-k8s.io/v1alpha2), heron.yaml:45: served are v1beta2",
			},
			hint: "install the missing control plane provider: clusterctl init --control-plane NAME; install the missing infrastructure provider: clusterctl init --infrastructure NAME; write the objects in a version that is served",
		},
		"a Cluster on its way out": {
			seed: "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: NS, finalizers: [a.b/c], annotations: {seed/delete: ''}}",
			code: fault.Refused, want: []string{"is being deleted"}, hint: "clusterctl delete cluster heron",
		},
		"another Cluster of that name": {
			seed: "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: NS}\nspec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: LakeCluster, name: l1}}",
			code: fault.Refused, want: []string{"another Cluster of that name exists: its infrastructure is LakeCluster l1, not PondCluster heron"}, hint: "another name",
		},
		"an object that the server refuses": {
			add:  "---\napiVersion: infrastructure.cluster.x-k8s.io/v1\nkind: PondMachine\nmetadata: {name: deep}\nspec: {depth: 1000}\n",
			code: fault.Failed, want: []string{"PondMachine", "deep (heron.yaml:37)", "spec.depth"}, hint: "none of them was written",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, ns := server(t, "apply-refuses")
			env.Seed(t, in(ns, tc.seed))
			already := len(stored(t, ns))
			_, err := Apply(deadline(t, 20*time.Second), c, heron(t, ns, fixture(t, "cluster.yaml")+tc.add), ApplyOptions{})
			if err == nil || fault.CodeOf(err) != tc.code {
				t.Fatalf("error %v, code %d, want code %d", err, fault.CodeOf(err), tc.code)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error doesn't say %q:\n%v", want, err)
				}
			}
			if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, tc.hint) {
				t.Errorf("hints don't say %q:\n%s", tc.hint, hints)
			}
			if n := len(stored(t, ns)); n != already {
				t.Errorf("%d objects were written", n-already)
			}
		})
	}
}

// stored are the successful writes of this package's Apply in a namespace.
func stored(t *testing.T, ns string) (out []string) {
	t.Helper()
	for _, w := range env.Audit(t, "^apply-refuses") {
		if w.Namespace == ns && !w.DryRun && w.Code < 300 {
			out = append(out, w.String())
		}
	}
	return out
}

func TestApplyDryRun(t *testing.T) {
	c, ns := server(t, "apply-dry")
	result, err := Apply(deadline(t, 20*time.Second), c, heron(t, ns, fixture(t, "cluster.yaml")), ApplyOptions{DryRun: true})
	if err != nil || len(result.Objects) != 6 {
		t.Fatalf("result %+v, error %v", result, err)
	}
	for _, w := range env.Audit(t, "^apply-dry") {
		if !w.DryRun {
			t.Errorf("wrote %s", w)
		}
	}
}

// A set may bring a CRD and objects of it, in a namespace that it brings as well.
func TestApplyBringsItsOwnKinds(t *testing.T) {
	c, base := server(t, "apply-own")
	ns := base + "-own"
	own := `---
apiVersion: example.org/v1
kind: Nest
metadata: {name: reed}
---
apiVersion: v1
kind: Namespace
metadata: {name: ` + ns + `}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: nests.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Nest, listKind: NestList, plural: nests, singular: nest}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
	result, err := Apply(deadline(t, 30*time.Second), c, heron(t, ns, fixture(t, "cluster.yaml")+own), ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Objects) != 9 {
		t.Errorf("%s", result.Summary())
	}
}

// Workers of the old way come after the control plane.
func TestApplyLegacyOrder(t *testing.T) {
	c, ns := server(t, "apply-legacy")
	s, err := LoadLegacy(parse(t, "c.yaml", clusterDoc),
		parse(t, "m.yaml", machine("w", "heron", "")+machine("cp", "heron", `cluster.x-k8s.io/control-plane: "true"`)), LoadOptions{Namespace: ns})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(deadline(t, 20*time.Second), c, s, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, w := range env.Audit(t, "^apply-legacy") {
		if !w.DryRun {
			order = append(order, w.Name)
		}
	}
	if len(order) != 3 || order[2] != "w" {
		t.Errorf("written in the order %q, want w last", order)
	}
}
