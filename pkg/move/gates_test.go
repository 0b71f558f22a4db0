// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// core puts a core provider with these arguments on a cluster, one that stands still where held.
func core(t *testing.T, e *testenv.Env, namespace, args string, held bool) {
	t.Helper()
	c := connect(t, e)
	replicas, note := 1, ""
	if held {
		replicas, note = 0, replicasAnnotation+`: "1"`
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(fmt.Appendf(nil, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: capi-controller-manager, namespace: %s, labels: {cluster.x-k8s.io/provider: cluster-api}, annotations: {%s}}
spec:
  replicas: %d
  selector: {matchLabels: {a: capi}}
  template: {metadata: {labels: {a: capi}}, spec: {containers: [{name: manager, image: "registry.invalid/capi:v1.14.2", args: ["--leader-elect", %q]}]}}
`, namespace, note, replicas, args), &u.Object); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(context.Background(), u); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		deleteAt(t, connect(t, e), kube.Target{GVK: gvkDeployment(), Namespace: namespace, Name: "capi-controller-manager"})
	})
}

// TestFeatureGatesOfTheTarget: what the source's providers have on and the objects need, the target's must not have off; nobody but its
// Deployments can tell while they stand still.
func TestFeatureGatesOfTheTarget(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	a, b := connect(t, left), connect(t, right)
	objs := graph.Cluster("gates", "heron", graph.Version)
	if err := unstructured.SetNestedField(objs[0].Object, map[string]any{"class": "quick"}, "spec", "topology"); err != nil {
		t.Fatal(err)
	}
	if err := graph.Load(ctx, left.REST, objs); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, a, graph.Version, "gates") })
	dir := filepath.Join(t.TempDir(), "backup")
	if _, err := Backup(ctx, BackupOptions{Source: a, Scope: plan.Scope{Namespaces: []string{"gates"}}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	const on, off, silent = "--feature-gates=MachinePool=true,ClusterTopology=true", "--feature-gates=MachinePool=false,ClusterTopology=false", "--v=2"
	for name, c := range map[string]struct {
		source, target           string
		held                     bool
		refused, warned, restore bool
	}{
		"off at a target that is held": {on, off, true, true, false, true},
		"off at one that runs":         {on, off, false, true, false, true},
		"on at both":                   {on, on, true, false, false, false},
		"off at both":                  {off, off, true, false, false, true},
		"not named by the source":      {silent, off, true, false, false, true},
		"not named by the target":      {on, silent, true, false, true, false},
		"not named by one that runs":   {on, silent, false, false, false, false},
		"on with all alpha gates":      {on, "--feature-gates=AllAlpha=true", true, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			core(t, left, "gates", c.source, false)
			core(t, right, "default", c.target, c.held)
			warned := false
			sink := event.Func(func(e event.Event) {
				warned = warned || e.Kind == event.Warn && strings.Contains(e.Message, "ClusterTopology")
			})
			_, err := Preview(ctx, Options{Source: a, Target: b, Scope: plan.Scope{Namespaces: []string{"gates"}}, Sink: sink, AllowProvisioning: true})
			wantGate(t, err, c.refused, c.held)
			if warned != c.warned {
				t.Errorf("warned: %v", warned)
			}
			_, err = PreviewRestore(ctx, RestoreOptions{Target: b, Dir: dir})
			wantGate(t, err, c.restore, c.held)
		})
	}
}

func wantGate(t *testing.T, err error, refused, held bool) {
	t.Helper()
	if !refused {
		if err != nil {
			t.Error(err)
		}
		return
	}
	want := "CLUSTER_TOPOLOGY=true clusterctl init"
	if held {
		want += " --hold"
	}
	hints := strings.Join(fault.Hints(err), "\n")
	if exitCode(err) != 4 || !strings.Contains(err.Error(), "the feature gate ClusterTopology is off at default/capi-controller-manager of the target, and Cluster") ||
		!strings.Contains(hints, want+",") || strings.Contains(hints, "EXP_") {
		t.Errorf("got %v, hints %q", err, hints)
	}
}

// TestWhatNeedsAGate: which objects need which feature gate.
func TestWhatNeedsAGate(t *testing.T) {
	for name, c := range map[string]struct{ group, kind, spec, want string }{
		"class":                       {"cluster.x-k8s.io", "ClusterClass", "{}", "CLUSTER_TOPOLOGY"},
		"cluster of a class":          {"cluster.x-k8s.io", "Cluster", "{topology: {class: a}}", "CLUSTER_TOPOLOGY"},
		"cluster":                     {"cluster.x-k8s.io", "Cluster", "{topology: null}", ""},
		"pool":                        {"cluster.x-k8s.io", "MachinePool", "{}", "EXP_MACHINE_POOL"},
		"somebody's pool":             {"infrastructure.cluster.x-k8s.io", "MachinePool", "{}", ""},
		"resource set":                {"addons.cluster.x-k8s.io", "ClusterResourceSet", "{}", "EXP_CLUSTER_RESOURCE_SET"},
		"extension":                   {"runtime.cluster.x-k8s.io", "ExtensionConfig", "{}", "EXP_RUNTIME_SDK"},
		"ignition":                    {"bootstrap.cluster.x-k8s.io", "KubeadmConfig", "{format: ignition}", "EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION"},
		"ignition template":           {"bootstrap.cluster.x-k8s.io", "KubeadmConfigTemplate", "{template: {spec: {format: ignition}}}", "EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION"},
		"ignition control plane":      {"controlplane.cluster.x-k8s.io", "KubeadmControlPlane", "{kubeadmConfigSpec: {format: ignition}}", "EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION"},
		"ignition of a control plane": {"controlplane.cluster.x-k8s.io", "KubeadmControlPlaneTemplate", "{template: {spec: {kubeadmConfigSpec: {format: ignition}}}}", "EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION"},
		"cloud-config":                {"bootstrap.cluster.x-k8s.io", "KubeadmConfig", "{format: cloud-config}", ""},
		"ignition of another one":     {"bootstrap.cluster.x-k8s.io", "OtherConfig", "{format: ignition}", ""},
	} {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte("spec: "+c.spec), &u.Object); err != nil {
			t.Fatal(err)
		}
		o := &plan.Object{Key: plan.Key{GroupKind: schema.GroupKind{Group: c.group, Kind: c.kind}}, Source: u}
		got := ""
		for _, g := range gates() {
			if g.needs(o) {
				got += g.variable
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
