// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

func options(ns string, sink *recorder) DeleteOptions {
	return DeleteOptions{
		Namespace: ns, Name: "heron", Settle: 50 * time.Millisecond,
		WaitOptions: WaitOptions{Sink: sink, Step: "delete", Interval: 100 * time.Millisecond},
	}
}

func TestDeleteWritesOneDelete(t *testing.T) {
	c, ns := server(t, "delete-one")
	env.Seed(t, in(ns, fixture(t, "deletion.yaml")))
	work(t, ns, 150*time.Millisecond)
	sink := &recorder{}
	result, err := Delete(deadline(t, 30*time.Second), c, options(ns, sink))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"delete clusters.cluster.x-k8s.io " + ns + "/heron 200"}, env.Writes(t, "^delete-one")); d != "" {
		t.Errorf("writes (-want +got):\n%s", d)
	}
	if result.WasDeleting {
		t.Error("the deletion hadn't begun before")
	}
	// Nothing collects garbage here, so what only an owner reference would take away is left over.
	golden(t, "leftovers", ns, strings.Join(result.Leftovers.Report(), "\n"))
	if !strings.Contains(sink.text(), "heron-m0") {
		t.Errorf("progress doesn't name the Machine:\n%s", sink.text())
	}
	for name, gone := range map[string]bool{"otter": false, "heron": true} {
		if u, err := getCluster(t.Context(), c, key(ns, name)); isNotFound(err) != gone || (!gone && u.GetDeletionTimestamp() != nil) {
			t.Errorf("Cluster %s: %v", name, err)
		}
	}
}

func TestDeleteNobodyAtWork(t *testing.T) {
	c, ns := server(t, "delete-nobody")
	env.Seed(t, in(ns, fixture(t, "deletion.yaml")))
	began := time.Now()
	_, err := Delete(deadline(t, 1500*time.Millisecond), c, options(ns, &recorder{}))
	if fault.CodeOf(err) != fault.Timeout {
		t.Fatalf("error %v, want a timeout", err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("gave up after %s", took)
	}
	golden(t, "delete-timeout", ns, err.Error()+"\n"+strings.Join(fault.Hints(err), "\n"))
	u, err := getCluster(t.Context(), c, key(ns, "heron"))
	if err != nil || cmp.Diff([]string{capi.ClusterFinalizer}, u.GetFinalizers()) != "" {
		t.Fatalf("finalizers were touched: %v %v", u.GetFinalizers(), err)
	}

	// A second run finishes the first.
	work(t, ns, 50*time.Millisecond)
	result, err := Delete(deadline(t, 30*time.Second), c, options(ns, &recorder{}))
	if err != nil || !result.WasDeleting {
		t.Fatalf("second run: %+v, %v", result, err)
	}
	if n := len(env.Writes(t, "^delete-nobody")); n != 1 {
		t.Errorf("%d writes, want the one DELETE", n)
	}

	// A third has nothing to do, and says so at once.
	_, err = Delete(deadline(t, 30*time.Second), c, options(ns, &recorder{}))
	var nf *NotFoundError
	if !errors.As(err, &nf) {
		t.Fatalf("third run: %v, want a NotFoundError", err)
	}
}

func TestDeletePaused(t *testing.T) {
	cases := map[string]string{
		"cluster": `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: NS, finalizers: [cluster.cluster.x-k8s.io]}
spec: {paused: true, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: PondCluster, name: heron}}`,
		"infrastructure": `
apiVersion: infrastructure.cluster.x-k8s.io/v1
kind: PondCluster
metadata:
  name: heron
  namespace: NS
  annotations: {cluster.x-k8s.io/paused: ""}
  finalizers: [pondcluster.infrastructure.cluster.x-k8s.io]
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: heron}]`,
	}
	for name, doc := range cases {
		t.Run(name, func(t *testing.T) {
			c, ns := server(t, "delete-paused")
			env.Seed(t, in(ns, fixture(t, "deletion.yaml")), in(ns, doc))
			work(t, ns, 50*time.Millisecond)
			sink := &recorder{}
			_, err := Delete(deadline(t, 2*time.Second), c, options(ns, sink))
			golden(t, "delete-paused-"+name, ns, err.Error()+"\n"+strings.Join(fault.Hints(err), "\n"))
			if warned := strings.Contains(sink.text(), "warn Cluster"); warned != (name == "cluster") {
				t.Errorf("warning at once: %v\n%s", warned, sink.text())
			}
		})
	}
}

func TestDeleteInterrupted(t *testing.T) {
	c, ns := server(t, "delete-interrupted")
	env.Seed(t, in(ns, fixture(t, "deletion.yaml")))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	_, err := Delete(ctx, c, options(ns, &recorder{}))
	if fault.CodeOf(err) != fault.Interrupted {
		t.Fatalf("error %v, want interrupted", err)
	}
	golden(t, "delete-interrupted", ns, err.Error()+"\n"+strings.Join(fault.Hints(err), "\n"))
}

func TestDeleteElsewhere(t *testing.T) {
	c, ns := server(t, "delete-elsewhere")
	env.Seed(t, "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: stray, namespace: "+ns+"}")
	_, err := Delete(deadline(t, 10*time.Second), c, DeleteOptions{Namespace: "default", Name: "stray"})
	var nf *NotFoundError
	if !errors.As(err, &nf) || cmp.Diff([]string{ns}, nf.Elsewhere) != "" {
		t.Fatalf("error %v, want one that names %s", err, ns)
	}
	if hints := fault.Hints(err); len(hints) != 1 || !strings.Contains(hints[0], ns) {
		t.Errorf("hints %q", hints)
	}
}

// A Cluster that was deleted and made again is another one: the wait for the old one ends.
func TestDeleteEndsWhenReplaced(t *testing.T) {
	c, ns := server(t, "delete-replaced")
	env.Seed(t, "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: "+ns+"}")
	g := &going{c: c, key: key(ns, "heron"), uid: types.UID("another"), evidence: newEvidence(c, nil)}
	if done, _, err := g.Check(t.Context()); !done || err != nil {
		t.Errorf("done %v, error %v", done, err)
	}
}

func TestPreviewDeletion(t *testing.T) {
	c, ns := server(t, "preview")
	env.Seed(t, in(ns, fixture(t, "deletion.yaml")))
	p, err := PreviewDeletion(t.Context(), c, key(ns, "heron"))
	if err != nil {
		t.Fatal(err)
	}
	want := "Cluster " + ns + "/heron with 1 Machine, 1 PondCluster, 1 Secret"
	if got := p.Summary(); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if n := len(env.Writes(t, "^preview")); n != 0 {
		t.Errorf("%d writes, want none", n)
	}
}

// What a garbage collector takes away a moment later is no leftover.
func TestSettleWaitsForGarbageCollection(t *testing.T) {
	c, ns := server(t, "settle")
	env.Seed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: heron-ca, namespace: "+ns+", labels: {cluster.x-k8s.io/cluster-name: heron}}")
	time.AfterFunc(300*time.Millisecond, func() {
		gvk := schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
		if err := client(t, "collector").Delete(t.Context(), gvk, ns, "heron-ca", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	left, err := settle(deadline(t, 20*time.Second), c, key(ns, "heron"), "gone", 10*time.Second)
	if err != nil || len(left.Objects) > 0 {
		t.Errorf("left %v, error %v", left.Objects, err)
	}
}
