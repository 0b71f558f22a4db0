// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

func node(name, ready, reason, message string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node"}}
	u.SetName(name)
	if ready != "" {
		u.Object["status"] = map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": ready, "reason": reason, "message": message},
		}}
	}
	return u
}

func TestNodesReady(t *testing.T) {
	t.Parallel()
	up := node("a", "True", "KubeletReady", "")
	cases := map[string]struct {
		nodes []*unstructured.Unstructured
		want  string
	}{
		"all":            {[]*unstructured.Unstructured{up, node("b", "True", "", ""), node("stranger", "False", "", "")}, ""},
		"not registered": {[]*unstructured.Unstructured{up}, "1 of 2 Nodes are Ready; not yet b: not registered"},
		"no condition":   {[]*unstructured.Unstructured{up, node("b", "", "", "")}, "1 of 2 Nodes are Ready; not yet b: no Ready condition yet"},
		"no network": {
			[]*unstructured.Unstructured{up, node("b", "False", "KubeletNotReady", "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized")},
			"1 of 2 Nodes are Ready; not yet b: its network plugin (CNI) isn't up; a cluster that has none needs one (--addons); KubeletNotReady container",
		},
		"other reason": {[]*unstructured.Unstructured{up, node("b", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")}, "NodeStatusUnknown Kubelet stopped"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ready, reason := nodesReady([]string{"a", "b"}, c.nodes)
			if ready != (c.want == "") || !strings.Contains(reason, c.want) {
				t.Errorf("ready %v, reason %q, want %q", ready, reason, c.want)
			}
		})
	}
}

// The workload cluster is the same API server here: it has Nodes as any has.
func TestWaitNodesReady(t *testing.T) {
	c, ns := server(t, "nodes")
	env.Seed(t, in(ns, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: NS}
status: {initialization: {infrastructureProvisioned: true, controlPlaneInitialized: true}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: cp, namespace: NS, labels: {cluster.x-k8s.io/cluster-name: heron}}
spec: {clusterName: heron}
status: {nodeRef: {name: NS-cp}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {name: md, namespace: NS, labels: {cluster.x-k8s.io/cluster-name: heron}}
spec: {clusterName: heron, replicas: 1}`))
	sink := &recorder{}
	err := WaitNodesReady(deadline(t, 2*time.Second), c, c, key(ns, "heron"), quick(sink))
	if fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "1 of 2 Machines have a Node") {
		t.Fatalf("error %v", err)
	}
	env.Seed(t, in(ns, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: w
  namespace: NS
  labels: {cluster.x-k8s.io/cluster-name: heron}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, name: md, controller: true}]
spec: {clusterName: heron}
status: {nodeRef: {name: NS-w}}
---
apiVersion: v1
kind: Node
metadata: {name: NS-cp}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: NS-w}
status: {conditions: [{type: Ready, status: "False", reason: KubeletNotReady, message: cni plugin not initialized}]}`))
	err = WaitNodesReady(deadline(t, 2*time.Second), c, c, key(ns, "heron"), quick(sink))
	if fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "its network plugin (CNI) isn't up") {
		t.Fatalf("error %v", err)
	}
	time.AfterFunc(300*time.Millisecond, func() {
		env.Seed(t, in(ns, `
apiVersion: v1
kind: Node
metadata: {name: NS-w}
status: {conditions: [{type: Ready, status: "True"}]}`))
	})
	if err := WaitNodesReady(deadline(t, 20*time.Second), c, c, key(ns, "heron"), quick(sink)); err != nil {
		t.Fatal(err)
	}
}

// Before there was an Available condition, Ready said nothing about the workers.
func TestWaitAvailableOldShape(t *testing.T) {
	c, ns := server(t, "available-old")
	env.Seed(t, in(ns, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: NS}
status:
  initialization: {infrastructureProvisioned: true, controlPlaneInitialized: true}
  conditions: [{type: Ready, status: "True", lastTransitionTime: "2030-01-01T00:00:00Z"}]
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: cp, namespace: NS, labels: {cluster.x-k8s.io/cluster-name: heron}}
spec: {clusterName: heron}`))
	err := WaitAvailable(deadline(t, 2*time.Second), c, key(ns, "heron"), quick(&recorder{}))
	if fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "0 of 1 Machines have a Node") {
		t.Fatalf("error %v", err)
	}
	env.Seed(t, in(ns, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: cp, namespace: NS, labels: {cluster.x-k8s.io/cluster-name: heron}}
spec: {clusterName: heron}
status: {nodeRef: {name: n1}}`))
	if err := WaitAvailable(deadline(t, 10*time.Second), c, key(ns, "heron"), quick(&recorder{})); err != nil {
		t.Fatal(err)
	}
}

func TestMachinePoolNodesCount(t *testing.T) {
	t.Parallel()
	p := progress{settled: true, desired: 2}
	p.addPool(capi.GroupState{NodeNames: []string{"n1", "n2"}}, nil)
	if !p.joined() {
		t.Errorf("%+v", p)
	}
}

func TestApplyAddons(t *testing.T) {
	c, ns := server(t, "addons")
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cni, namespace: " + ns + "}\n---\n" +
		"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: cni, namespace: " + ns + "}\n" +
		"spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: example.org/cni}]}}}\n"
	objs := parse(t, "addons.yaml", text)
	result, err := ApplyAddons(deadline(t, 10*time.Second), c, manifest.Unwrap(objs), AddonOptions{})
	if err != nil || result.Summary() != "2 created" {
		t.Fatalf("%s, error %v", result.Summary(), err)
	}
	// Nobody runs DaemonSets here.
	_, err = ApplyAddons(deadline(t, 2*time.Second), c, manifest.Unwrap(objs), AddonOptions{Wait: true})
	if fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), "DaemonSet") {
		t.Errorf("error %v", err)
	}
}
