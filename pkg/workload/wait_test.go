// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

func quick(sink *recorder) WaitOptions {
	return WaitOptions{Sink: sink, Step: "wait", Interval: 50 * time.Millisecond}
}

func TestWaitTimesOut(t *testing.T) {
	c, ns := server(t, "wait-timeout")
	if _, err := Apply(deadline(t, 20*time.Second), c, heron(t, ns, fixture(t, "cluster.yaml")), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	sink := &recorder{}
	err := WaitInfrastructure(deadline(t, 2*time.Second), c, key(ns, "heron"), quick(sink))
	if fault.CodeOf(err) != fault.Timeout {
		t.Fatalf("error %v, want a timeout", err)
	}
	golden(t, "wait-timeout", ns, err.Error()+"\n"+strings.Join(fault.Hints(err), "\n"))
	golden(t, "wait-progress", ns, sink.text())
}

func TestWaitsEnd(t *testing.T) {
	waits := map[string]func(context.Context, *kube.Client, string, WaitOptions) error{
		"infrastructure": func(ctx context.Context, c *kube.Client, ns string, o WaitOptions) error {
			return WaitInfrastructure(ctx, c, key(ns, "heron"), o)
		},
		"control plane": func(ctx context.Context, c *kube.Client, ns string, o WaitOptions) error {
			return WaitControlPlaneInitialized(ctx, c, key(ns, "heron"), o)
		},
		"available": func(ctx context.Context, c *kube.Client, ns string, o WaitOptions) error {
			return WaitAvailable(ctx, c, key(ns, "heron"), o)
		},
		"machines": func(ctx context.Context, c *kube.Client, ns string, o WaitOptions) error {
			return WaitMachines(ctx, c, key(ns, "heron"), o)
		},
	}
	ready := `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: NS}
spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: PondCluster, name: heron}}
status:
  initialization: {infrastructureProvisioned: true, controlPlaneInitialized: true}
  conditions: [{type: Available, status: "True", reason: Available, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}]
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: heron-cp, namespace: NS, labels: {cluster.x-k8s.io/cluster-name: heron, cluster.x-k8s.io/control-plane: ""}}
spec: {clusterName: heron}
status: {nodeRef: {name: heron-cp}}
`
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			c, ns := server(t, "wait-end")
			env.Seed(t, "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: "+ns+"}")
			time.AfterFunc(300*time.Millisecond, func() { env.Seed(t, in(ns, ready)) })
			began := time.Now()
			if err := wait(deadline(t, 20*time.Second), c, ns, quick(&recorder{})); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < 250*time.Millisecond {
				t.Errorf("didn't wait: %s", took)
			}
		})
	}
}

func TestWaitFailsFast(t *testing.T) {
	pond := "\n---\napiVersion: infrastructure.cluster.x-k8s.io/v1\nkind: PondCluster\nmetadata: {name: heron, namespace: NS}\nstatus: {failureReason: CreateError, failureMessage: the pond is dry}"
	cluster := "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: NS, finalizers: [a.b/c]}\nspec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: PondCluster, name: heron}}"
	cases := map[string]struct {
		seed, want string
		code       fault.Code
	}{
		"no such Cluster":       {"", "the Cluster is gone", fault.Failed},
		"being deleted":         {strings.Replace(cluster, "NS,", "NS, annotations: {seed/delete: ''},", 1), "being deleted", fault.Refused},
		"Cluster failed":        {cluster + "\nstatus: {deprecated: {v1beta1: {failureReason: CreateError, failureMessage: no water}}}", "no water", fault.Failed},
		"infrastructure failed": {cluster + pond, "PondCluster heron: CreateError: the pond is dry", fault.Failed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, ns := server(t, "wait-fast")
			env.Seed(t, in(ns, tc.seed))
			began := time.Now()
			err := WaitInfrastructure(deadline(t, 20*time.Second), c, key(ns, "heron"), quick(&recorder{}))
			if err == nil || !strings.Contains(err.Error(), tc.want) || fault.CodeOf(err) != tc.code {
				t.Errorf("error %v (code %d), want %q (code %d)", err, fault.CodeOf(err), tc.want, tc.code)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestWaitInterrupted(t *testing.T) {
	c, ns := server(t, "wait-interrupted")
	env.Seed(t, "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: "+ns+"}")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	err := WaitInfrastructure(ctx, c, key(ns, "heron"), quick(&recorder{}))
	if fault.CodeOf(err) != fault.Interrupted || len(fault.Hints(err)) == 0 {
		t.Errorf("error %v, hints %q", err, fault.Hints(err))
	}
}

// While nothing changes, a look is one request.
func TestWaitIsModest(t *testing.T) {
	c, ns := server(t, "wait-modest")
	if _, err := Apply(deadline(t, 20*time.Second), c, heron(t, ns, fixture(t, "cluster.yaml")), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	before := c.Requests().Total
	err := WaitInfrastructure(deadline(t, 2*time.Second), c, key(ns, "heron"), WaitOptions{Interval: 100 * time.Millisecond})
	if fault.CodeOf(err) != fault.Timeout {
		t.Fatal(err)
	}
	// About 20 looks, and twice (at the beginning and for the error) a handful of requests for what blocks.
	if n := c.Requests().Total - before; n > 40 {
		t.Errorf("%d requests in 20 looks", n)
	}
}
