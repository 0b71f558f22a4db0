// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// step is a step that runs are killed in.
type step struct {
	name string
	// late is a second moment inside of it, for steps that take their time.
	late time.Duration
}

// moments are when it is killed, counted from the step's start.
func (s step) moments() []time.Duration {
	switch {
	case !*all:
		return []time.Duration{s.late}
	case s.late == 0:
		return []time.Duration{0, 300 * time.Millisecond}
	}
	return []time.Duration{0, 300 * time.Millisecond, s.late}
}

func createSteps() []step {
	return []step{
		{name: "preflight"},
		{name: "bootstrap", late: 2 * time.Second},
		{name: "providers", late: 2 * time.Second},
		{name: "cluster"},
		{name: "wait-infrastructure"},
		{name: "wait-control-plane", late: 3 * time.Second},
		{name: "kubeconfig"},
		{name: "wait-nodes", late: 3 * time.Second},
		{name: "wait-available"},
		{name: "summary"},
	}
}

// TestKilledInEveryStep kills the program in every step (with -all: when it starts, and twice inside of it), and runs the same command
// again each time, until there is a cluster, and then until there is none.
func TestKilledInEveryStep(t *testing.T) {
	h := newHome(t)
	began := time.Now()
	args := demo("--progress", "json")
	var uids []string
	for _, s := range createSteps() {
		if s.name == "wait-control-plane" {
			h.supervisorDies(t, s.name, args)
		}
		for _, moment := range s.moments() {
			h.killIn(t, s.name, moment, args...)
		}
		if _, err := os.Stat(h.record()); err == nil { // a kill may come before it is written
			args = []string{"create", "cluster", "demo", "--progress", "json"} // the record knows the rest
		}
		if s.name == "preflight" || s.name == "bootstrap" || s.name == "providers" || s.name == "cluster" {
			continue // There is none yet.
		}
		uids = append(uids, list(t, h.management("demo"), capi("", "clusters"))["demo"])
		if s.name == "wait-control-plane" {
			h.killEverything(t)
		}
	}
	h.must(t, "create", "cluster", "demo")
	h.wantDemo(t)
	if uids = slices.Compact(append(uids, list(t, h.management("demo"), capi("", "clusters"))["demo"])); len(uids) != 1 || uids[0] == "" {
		t.Errorf("the Cluster was made more than once: %v", uids)
	}
	wantNodes(t, filepath.Join(h.dir, "demo.kubeconfig"), 3)
	ports := h.ports("demo")
	t.Logf("made after %.0f s", time.Since(began).Seconds())

	h.killDelete(t)
	h.wantNothingLeft(t, ports)
	t.Logf("deleted after %.0f s", time.Since(began).Seconds())
}

// killDelete kills delete cluster in every step, and finishes it.
func (h *home) killDelete(t *testing.T) {
	t.Helper()
	for _, s := range []string{"delete-cluster", "delete-kubeconfig", "delete-bootstrap", "forget"} {
		for _, inside := range []time.Duration{0, 300 * time.Millisecond} {
			if _, err := os.Stat(h.record()); err != nil {
				break // The one before came to the end.
			}
			h.killIn(t, s, inside, "delete", "cluster", "demo", "--yes", "--progress", "json")
		}
	}
	if _, err := os.Stat(h.record()); err == nil {
		h.must(t, "delete", "cluster", "demo", "--yes")
	}
	// A run that was killed after its last act leaves its lock file; whoever comes next takes it over.
	for _, f := range []string{".lock", ".lock.holder"} {
		_ = os.Remove(strings.TrimSuffix(h.record(), ".json") + f)
	}
}

// record is the file that knows the cluster while there is something of it.
func (h *home) record() string { return filepath.Join(h.state(), "runs", "default_demo.json") }

// killIn runs the program, kills it in a step, and wants nothing to run that the next run doesn't know.
func (h *home) killIn(t *testing.T, step string, inside time.Duration, args ...string) {
	t.Helper()
	p := h.start(t, args...)
	outcome := "killed"
	if !p.until(t, "start", step) || !p.killAfter(t, inside) {
		outcome = "ended by itself"
	}
	r := p.wait(t)
	if r.code > 0 {
		t.Fatalf("%v ended with %d before it was killed in step %s:\n%s", args, r.code, step, tail(r.err))
	}
	t.Logf("%s in %s after %s (%.1f s)", outcome, step, inside, r.took.Seconds())
	wait(t, time.Minute, h.orphans)
}

// orphans says which processes run that no process table knows: the next run, or delete, couldn't end them.
func (h *home) orphans() string {
	known := map[int]bool{}
	entries, _ := os.ReadDir(filepath.Join(h.state(), "bootstraps"))
	for _, e := range entries {
		for pid := range h.table(e.Name()).known() {
			known[pid] = true
		}
	}
	for _, pid := range marked(h.state()) {
		if !known[pid] {
			return fmt.Sprintf("an orphan: %s", describe(pid))
		}
	}
	return ""
}

// supervisorDies kills what keeps the bootstrap cluster running, under a run that waits for it: the run brings it back.
func (h *home) supervisorDies(t *testing.T, step string, args []string) {
	t.Helper()
	p := h.start(t, args...)
	if !p.until(t, "start", step) {
		t.Fatalf("ended before step %s:\n%s", step, tail(p.said()))
	}
	if err := syscall.Kill(h.table("demo").Supervisor.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, time.Minute, func() string {
		if !strings.Contains(p.said(), "bringing it back") {
			return "the run doesn't notice that its bootstrap cluster has stopped"
		}
		if b := h.items(t, "get", "bootstraps"); len(b) != 1 || b[0]["state"] != "running" {
			return fmt.Sprintf("it isn't brought back: %v", b)
		}
		return ""
	})
	p.killAfter(t, 0)
	if r := p.wait(t); r.code > 0 {
		t.Errorf("exit code %d\n%s", r.code, tail(r.err))
	}
}

// killEverything kills the supervisor and all that it runs, as a power failure does.
func (h *home) killEverything(t *testing.T) {
	t.Helper()
	pids := marked(h.state())
	if len(pids) < 8 {
		t.Errorf("only %d processes of the bootstrap cluster run, want supervisor, control plane and managers", len(pids))
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	wait(t, time.Minute, func() string {
		for _, pid := range marked(h.state()) {
			return "left: " + describe(pid)
		}
		// One that is about to end has no environment any more, and is still there.
		if b := h.items(t, "get", "bootstraps"); len(b) != 1 || b[0]["state"] != "stopped" {
			return fmt.Sprintf("get bootstraps after everything was killed: %v", b)
		}
		return ""
	})
}
