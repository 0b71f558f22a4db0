// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestMoveThereAndBack moves a running cluster to a second local control plane whose controllers wait for it, and back, with the real
// controllers on both sides: nothing is made anew, nothing is deleted, and at the end everything is where it began.
func TestMoveThereAndBack(t *testing.T) {
	h := newHome(t)
	h.audited(t)
	h.must(t, demo()...)
	ports := h.ports("demo")
	h.must(t, "create", "bootstrap", "second")
	ports = append(ports, h.ports("second")...)
	first, second := h.management("demo"), h.management("second")
	h.must(t, "init", "--infrastructure", "docker", "--set", "CLUSTER_TOPOLOGY=true", "--hold", "--kubeconfig", second)
	before := machines(t, first)
	if len(before) != 3 {
		t.Fatalf("machines %v, want three", before)
	}

	h.must(t, "move", "--dry-run", "--kubeconfig", first, "--to-kubeconfig", second)
	if now := machines(t, first); !maps.Equal(before, now) {
		t.Fatalf("a dry run changed the source: %v", now)
	}
	h.nothingMeanwhile(t, first, second)
	names := map[string]string{first: "demo", second: "second"}
	for _, way := range []struct{ name, from, to string }{{"there", first, second}, {"back", second, first}} {
		began := time.Now()
		r := h.must(t, "move", "--kubeconfig", way.from, "--to-kubeconfig", way.to)
		t.Logf("%s: %.1f s\n%s", way.name, r.took.Seconds(), r.out)
		if left := list(t, way.from, capi("", "machines")); len(left) != 0 {
			t.Errorf("%s: left on the source: %v", way.name, left)
		}
		uids := list(t, way.to, capi("", "machines"))
		if got := machines(t, way.to); !maps.Equal(before, got) {
			t.Errorf("%s: machines %v, before %v", way.name, got, before)
		}
		time.Sleep(15 * time.Second) // the controllers get the time to do something wrong
		if now := list(t, way.to, capi("", "machines")); !maps.Equal(uids, now) {
			t.Errorf("%s: the controllers made machines anew: %v, before %v", way.name, now, uids)
		}
		wantHandover(t, h.changes(t, names[way.from], began), h.changes(t, names[way.to], began))
	}
	h.must(t, "get", "kubeconfig", "demo", "--kubeconfig", first, "-o", filepath.Join(h.dir, "again.kubeconfig"))
	ports = append(ports, h.lostAndRecovered(t, before)...)
	h.must(t, "delete", "cluster", "demo", "--yes")
	h.must(t, "delete", "bootstrap", "second", "--yes")
	for _, left := range []string{filepath.Join(h.dir, "again.kubeconfig"), filepath.Join(h.state(), "moves")} { // the snapshots stay
		if err := os.RemoveAll(left); err != nil {
			t.Fatal(err)
		}
	}
	h.wantNothingLeft(t, ports)
}

// nothingMeanwhile kills a move, and wants nothing to be changed or deleted on its two clusters before it is finished.
func (h *home) nothingMeanwhile(t *testing.T, source, target string) {
	t.Helper()
	p := h.start(t, "move", "--kubeconfig", source, "--to-kubeconfig", target, "--progress", "json")
	if !p.until(t, "start", "quiesce") || !p.killAfter(t, 500*time.Millisecond) {
		t.Fatalf("the move ended before it was killed:\n%s", tail(p.said()))
	}
	h.wantFailure(t, 4, []string{"isn't finished", "move --resume", "move --rollback"}, "create", "cluster", "demo", "--worker-machine-count", "3")
	h.wantFailure(t, 4, []string{"isn't finished", "move --resume"}, "delete", "cluster", "demo", "--yes")
	h.wantFailure(t, 4, []string{"isn't finished"}, "init", "--infrastructure", "docker", "--kubeconfig", target)
}

// lostAndRecovered makes a backup, loses the management cluster, and brings the cluster under management again on a new one. Nothing says
// there which providers it needs: the backup knows.
func (h *home) lostAndRecovered(t *testing.T, before map[string]string) (ports []int) {
	t.Helper()
	backup, kubeconfig := filepath.Join(h.dir, "backup"), filepath.Join(h.dir, "demo.kubeconfig")
	h.must(t, "move", "--to-directory", backup, "--kubeconfig", h.management("demo"))
	h.must(t, "delete", "bootstrap", "demo", "--abandon-clusters", "--yes")
	h.wantFailure(t, 4, []string{"is not there any more", "--forget"}, "delete", "cluster", "demo", "--yes")
	h.must(t, "delete", "cluster", "demo", "--forget")
	if err := os.Rename(kubeconfig, kubeconfig+".old"); err != nil {
		t.Fatal(err)
	}
	r := h.must(t, "create", "cluster", "demo", "--from-backup", backup, "--bootstrap", "local")
	t.Logf("recovered in %.1f s\n%s", r.took.Seconds(), r.out)
	if got := machines(t, h.management("demo")); !maps.Equal(before, got) {
		t.Errorf("recovered machines %v, before %v", got, before)
	}
	for _, file := range []string{backup, kubeconfig + ".old"} {
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
	}
	return h.ports("demo")
}

// machines are the Machines with what identifies them outside: name → provider ID and node.
func machines(t *testing.T, kubeconfig string) map[string]string {
	t.Helper()
	objs, err := connect(t, kubeconfig).Resource(capi("", "machines")).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, o := range objs.Items {
		id, _, _ := unstructured.NestedString(o.Object, "spec", "providerID")
		node, _, _ := unstructured.NestedString(o.Object, "status", "nodeRef", "name")
		out[o.GetName()] = id + " " + node
	}
	return out
}
