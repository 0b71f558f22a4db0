// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestInterrupted stops a run in the three ways that people stop runs, and finishes what it began. The cluster's machine
// doesn't start before it is told to, so that there is something to wait for on every host.
func TestInterrupted(t *testing.T) {
	h := newHome(t)
	slow := []string{"create", "cluster", "demo", "-f", testdata(t, "cluster.yaml"), "--set", "WORKERS=0", "--set", "STARTUP=5h", "--infrastructure", "docker", "--bootstrap", "local"}
	p := h.start(t, append(slow, "--progress", "json")...)
	if !p.until(t, "start", "wait-control-plane") {
		t.Fatalf("ended early:\n%s", tail(p.wait(t).err))
	}
	t.Run("two at once", func(t *testing.T) { h.twoAtOnce(t, p) })
	t.Run("Ctrl-C", func(t *testing.T) { interrupt(t, p) })
	t.Run("values are asked for again", func(t *testing.T) {
		h.wantFailure(t, 2, []string{"STARTUP, WORKERS", "--set STARTUP=… --set WORKERS=…"}, "create", "cluster", "demo")
	})
	again := []string{"create", "cluster", "demo", "--set", "WORKERS=0", "--set", "STARTUP=5h"}
	t.Run("deadline", func(t *testing.T) { h.deadline(t, again...) })
	h.startMachines(t)
	r := h.must(t, again...)
	t.Logf("gone on: %.0f s", r.took.Seconds())
	wantNodes(t, filepath.Join(h.dir, "demo.kubeconfig"), 1)
	ports := h.ports("demo")
	h.must(t, "delete", "cluster", "demo", "--yes")
	h.wantNothingLeft(t, ports)
}

// twoAtOnce wants every second command on the name to be refused, with a word on the first.
func (h *home) twoAtOnce(t *testing.T, first *process) {
	t.Helper()
	holder := strconv.Itoa(first.cmd.Process.Pid)
	for _, args := range [][]string{{"create", "cluster", "demo"}, {"phase", "wait-nodes", "demo"}, {"delete", "cluster", "demo", "--yes"}} {
		h.wantFailure(t, 4, []string{"being worked on", "create cluster demo", holder}, args...)
	}
}

// interrupt presses Ctrl-C.
func interrupt(t *testing.T, p *process) {
	t.Helper()
	pressed := time.Now()
	p.signal(t, syscall.SIGINT)
	r := p.wait(t)
	if took := time.Since(pressed); r.code != 130 || took > time.Minute {
		t.Errorf("exit code %d after %s", r.code, took)
	}
	for _, want := range []string{`"kind":"error"`, "interrupted in step wait-control-plane", "clusterctl create cluster demo", "clusterctl delete cluster demo"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("it doesn't say %q:\n%s", want, tail(r.err))
		}
	}
}

// startMachines makes the simulated machines start now, whatever their template says.
func (h *home) startMachines(t *testing.T) {
	t.Helper()
	machines := connect(t, h.management("demo")).Resource(capi("infrastructure", "devmachines")).Namespace("default")
	found, err := machines.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(found.Items) == 0 {
		t.Fatalf("%d DevMachines, error %v", len(found.Items), err)
	}
	patch := []byte(`{"spec":{"backend":{"inMemory":{"vm":{"provisioning":{"startupDuration":"0s"}}}}}}`)
	for _, m := range found.Items {
		if _, err := machines.Patch(t.Context(), m.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// deadline lets the time run out: the error names what blocks.
func (h *home) deadline(t *testing.T, args ...string) {
	t.Helper()
	r := h.wantFailure(t, 3, []string{"step wait-control-plane", "Machine demo-", "VMProvisioned", "clusterctl create cluster demo"},
		append(args, "--timeout", "15s")...)
	if r.took > 75*time.Second { // the deadline, and a minute for a slow host
		t.Errorf("it took %s", r.took)
	}
	if b := h.items(t, "get", "bootstraps"); len(b) != 1 || b[0]["state"] != "running" {
		t.Errorf("get bootstraps: %v", b)
	}
}
