// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

var machineGVK = schema.GroupVersionKind{Group: capi.GroupCore, Version: "v1beta2", Kind: capi.KindMachine}

// dozing has a Cluster whose Machine is being deleted, and nobody at work.
func dozing(t *testing.T, agent string) (ns string, machine func() *unstructured.Unstructured, opts DeleteOptions, sink *recorder) {
	t.Helper()
	_, ns = server(t, agent)
	env.Seed(t, in(ns, fixture(t, "deletion.yaml")))
	other := client(t, "controller")
	if err := other.Delete(t.Context(), machineGVK, ns, "heron-m0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	sink = &recorder{}
	opts = options(ns, sink)
	opts.Patience = 600 * time.Millisecond
	return ns, func() *unstructured.Unstructured {
		u, err := other.Get(t.Context(), machineGVK, ns, "heron-m0")
		if err != nil {
			t.Fatal(err)
		}
		return u
	}, opts, sink
}

// until gives a context that ends when a sink gets a text, and a sink that passes everything on.
func until(t *testing.T, text string, sink *recorder) (context.Context, event.Sink) {
	t.Helper()
	ctx, cancel := context.WithCancel(deadline(t, time.Minute))
	t.Cleanup(cancel)
	return ctx, event.Func(func(e event.Event) {
		sink.Send(e)
		if strings.Contains(e.Message, text) {
			cancel()
		}
	})
}

// A controller that looks at a Machine only when it changes, and has missed the last change, comes to it after a nudge.
func TestDeleteNudgesWhatStandsStill(t *testing.T) {
	ns, machine, opts, sink := dozing(t, "nudge-still")
	seen := machine().GetResourceVersion()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	u := undertaker{c: client(t, "controller"), ns: ns}
	go func() {
		defer close(done)
		for awake := false; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
			if !awake {
				m, err := u.c.Get(ctx, machineGVK, ns, "heron-m0")
				awake = err == nil && m.GetResourceVersion() != seen
				continue
			}
			if err := u.step(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("undertaker: %v", err)
				return
			}
		}
	}()
	defer func() { cancel(); <-done }()
	if _, err := Delete(deadline(t, time.Minute), client(t, "nudge-still"), opts); err != nil {
		t.Fatal(err)
	}
	writes := env.Writes(t, "^nudge-still")
	want := "patch machines.cluster.x-k8s.io " + ns + "/heron-m0 200"
	if i := slices.Index(writes, want); i < 1 || !strings.HasPrefix(writes[0], "delete clusters.cluster.x-k8s.io ") {
		t.Errorf("writes %q, want the DELETE and then %q", writes, want)
	}
	if !strings.Contains(sink.text(), "Machine heron-m0 hasn't changed for 600ms") {
		t.Errorf("the nudge isn't told:\n%s", sink.text())
	}
}

// What is written is an annotation, less and less often, and only on what is being deleted; finalizers stay.
func TestNudgeChangesAnAnnotationOnly(t *testing.T) {
	ns, machine, opts, sink := dozing(t, "nudge-only")
	before := machine()
	ctx, told := until(t, "heron-m0 hasn't changed for 1.2s", sink) // the second time
	opts.Sink = told
	if _, err := Delete(ctx, client(t, "nudge-only"), opts); fault.CodeOf(err) != fault.Interrupted {
		t.Fatalf("error %v, want that it was nudged twice:\n%s", err, sink.text())
	}
	after := machine()
	if after.GetAnnotations()[NudgeAnnotation] == "" {
		t.Error("it wasn't nudged")
	}
	after.SetAnnotations(before.GetAnnotations())
	for _, u := range []*unstructured.Unstructured{before, after} {
		u.SetResourceVersion("")
		u.SetManagedFields(nil)
	}
	if d := cmp.Diff(before.Object, after.Object); d != "" {
		t.Errorf("more than the annotation was changed (-before +after):\n%s", d)
	}
	patches := 0
	for _, w := range env.Writes(t, "^nudge-only") {
		switch {
		case strings.HasPrefix(w, "patch machines.cluster.x-k8s.io "+ns+"/heron-m0 "):
			patches++
		case !strings.HasPrefix(w, "delete clusters."):
			t.Errorf("also written: %s", w)
		}
	}
	if patches != 2 {
		t.Errorf("%d nudges, want two", patches)
	}
}

func TestNudgeLeavesPausedObjectsAlone(t *testing.T) {
	ns, _, opts, sink := dozing(t, "nudge-paused")
	pause := []byte(`{"metadata":{"annotations":{"cluster.x-k8s.io/paused":""}}}`)
	if _, err := client(t, "somebody").Patch(t.Context(), machineGVK, ns, "heron-m0", types.MergePatchType, pause); err != nil {
		t.Fatal(err)
	}
	ctx, told := until(t, "Cluster heron hasn't changed", sink) // it stands still too
	opts.Sink = told
	if _, err := Delete(ctx, client(t, "nudge-paused"), opts); fault.CodeOf(err) != fault.Interrupted {
		t.Fatalf("error %v, want that the Cluster was nudged:\n%s", err, sink.text())
	}
	for _, w := range env.Writes(t, "^nudge-paused") {
		if strings.Contains(w, "machines") {
			t.Errorf("written: %s", w)
		}
	}
}
