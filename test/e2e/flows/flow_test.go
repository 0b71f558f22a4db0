// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// demo is the main job, as the README shows it.
func demo(more ...string) []string {
	return append([]string{
		"create", "cluster", "demo", "--bootstrap", "local", "--infrastructure", "docker", "--flavor", "in-memory",
		"--control-plane-machine-count", "1", "--worker-machine-count", "2",
	}, more...)
}

func TestFromNothingToNothing(t *testing.T) {
	h := newHome(t)
	ports := listening(t)
	r := h.must(t, demo()...)
	t.Logf("create cluster: %.0f s, peak memory %d MiB", r.took.Seconds(), r.peak>>20)
	if r.peak > 150<<20 {
		t.Errorf("peak memory %d MiB, want at most 150", r.peak>>20)
	}
	kubeconfig := filepath.Join(h.dir, "demo.kubeconfig")
	if st, err := os.Stat(kubeconfig); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("kubeconfig: %v %v", st, err)
	}
	wantNodes(t, kubeconfig, 3)
	before := list(t, h.management("demo"), capiResource("machines"))

	r = h.must(t, "create", "cluster", "demo")
	t.Logf("the same again: %.1f s", r.took.Seconds())
	if after := list(t, h.management("demo"), capiResource("machines")); !maps.Equal(before, after) {
		t.Errorf("the second run changed the machines: %v, before %v", after, before)
	}
	wantLists(t, h)

	r = h.run(t, "delete", "bootstrap", "demo", "--yes")
	if r.code != 4 || !strings.Contains(r.err, "default/demo") {
		t.Errorf("a bootstrap cluster that holds a cluster: exit code %d, %s", r.code, tail(r.err))
	}
	r = h.run(t, "delete", "cluster", "demo")
	if r.code != 4 || !strings.Contains(r.err, "--yes") {
		t.Errorf("deleting without an answer: exit code %d, %s", r.code, tail(r.err))
	}
	r = h.must(t, "delete", "cluster", "demo", "--yes")
	t.Logf("delete cluster: %.0f s", r.took.Seconds())
	h.wantNothingLeft(t, ports)
}

// wantLists looks at what the listings and get kubeconfig say while the cluster runs.
func wantLists(t *testing.T, h *home) {
	t.Helper()
	mgmt := h.management("demo")
	got := h.must(t, "get", "kubeconfig", "demo", "--kubeconfig", mgmt)
	if file, err := os.ReadFile(filepath.Join(h.dir, "demo.kubeconfig")); err != nil || got.out != string(file) {
		t.Errorf("get kubeconfig isn't what create cluster wrote (%v)", err)
	}
	for _, args := range [][]string{{"get", "clusters", "-A", "--kubeconfig", mgmt}, {"get", "bootstraps"}} {
		r := h.must(t, append(args, "-o", "json")...)
		var found struct {
			Items []map[string]any `json:"items"`
		}
		if err := json.Unmarshal([]byte(r.out), &found); err != nil || len(found.Items) != 1 {
			t.Errorf("%v: %d items, %v", args, len(found.Items), err)
		}
	}
}

// createSteps are the steps that a run can be killed in.
func createSteps() []string {
	return []string{
		"preflight", "bootstrap", "providers", "cluster", "wait-infrastructure", "wait-control-plane", "kubeconfig",
		"wait-nodes", "wait-available", "summary",
	}
}

func TestKilledInEveryStepAndFinishedByRunningItAgain(t *testing.T) {
	h := newHome(t)
	ports := listening(t)
	args := demo("--progress", "json")
	for i, step := range createSteps() {
		for _, inside := range []time.Duration{0, 400 * time.Millisecond} {
			killed := h.killIn(t, step, inside, args...)
			if i > 0 {
				args = []string{"create", "cluster", "demo", "--progress", "json"} // the record knows the rest
			}
			t.Logf("killed in %s after %s: %v", step, inside, killed)
		}
		if step == "wait-control-plane" {
			h.killEverything(t)
		}
	}
	h.must(t, "create", "cluster", "demo")
	if clusters := list(t, h.management("demo"), capiResource("clusters")); len(clusters) != 1 {
		t.Errorf("clusters %v, want one", clusters)
	}
	if machines := list(t, h.management("demo"), capiResource("machines")); len(machines) != 3 {
		t.Errorf("machines %v, want three", machines)
	}
	wantNodes(t, filepath.Join(h.dir, "demo.kubeconfig"), 3)

	for _, step := range []string{"delete-cluster", "delete-kubeconfig", "delete-bootstrap", "forget"} {
		for _, inside := range []time.Duration{0, 400 * time.Millisecond} {
			killed := h.killIn(t, step, inside, "delete", "cluster", "demo", "--yes", "--progress", "json")
			t.Logf("killed in %s after %s: %v", step, inside, killed)
		}
	}
	if _, err := os.Stat(filepath.Join(h.state(), "runs", "default_demo.json")); err == nil {
		h.must(t, "delete", "cluster", "demo", "--yes")
	}
	// A run that was killed after its last act leaves its lock file, which the next one takes.
	_ = os.Remove(filepath.Join(h.state(), "runs", "default_demo.lock"))
	_ = os.Remove(filepath.Join(h.state(), "runs", "default_demo.lock.holder"))
	h.wantNothingLeft(t, ports)
}

// killIn runs the program and kills it in a step; false: it ended before.
func (h *home) killIn(t *testing.T, step string, inside time.Duration, args ...string) bool {
	t.Helper()
	p := h.start(t, args...)
	if !p.until(t, "start", step) {
		r := p.wait(t)
		// A step that was done by the run before may be skipped without a start; anything else is a failure.
		if r.code != 0 && !strings.Contains(r.err, "no such cluster") && !strings.Contains(r.err, "no kubeconfig") {
			t.Fatalf("%v ended with %d before step %s:\n%s", args, r.code, step, tail(r.err))
		}
		return false
	}
	time.Sleep(inside)
	p.signal(t, syscall.SIGKILL)
	return p.wait(t).code != 0
}

// killEverything kills the supervisor and all that it runs, as a power failure does.
func (h *home) killEverything(t *testing.T) {
	t.Helper()
	pids := processes(h.state())
	if len(pids) < 4 {
		t.Errorf("only %d processes of the bootstrap cluster run", len(pids))
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestInterruptedAndTwoAtOnce(t *testing.T) {
	h := newHome(t)
	p := h.start(t, demo("--progress", "json")...)
	if !p.until(t, "start", "providers") {
		t.Fatalf("ended early:\n%s", tail(p.wait(t).err))
	}
	r := h.run(t, "create", "cluster", "demo")
	if r.code != 4 || !strings.Contains(r.err, "being worked on") {
		t.Errorf("a second run: exit code %d, %s", r.code, tail(r.err))
	}
	p.signal(t, syscall.SIGINT)
	interrupted := time.Now()
	r = p.wait(t)
	if r.code != 130 || time.Since(interrupted) > 10*time.Second || !strings.Contains(r.err, "create cluster demo") {
		t.Errorf("Ctrl-C: exit code %d after %s, %s", r.code, time.Since(interrupted), tail(r.err))
	}
	r = h.run(t, "create", "cluster", "demo", "--timeout", "12s")
	if r.code != 3 || !strings.Contains(r.err, "demo") {
		t.Errorf("a deadline: exit code %d, %s", r.code, tail(r.err))
	}
	h.must(t, "delete", "cluster", "demo", "--yes")
	if left := processes(h.state()); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
}
