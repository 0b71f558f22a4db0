// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// home is one user's world: directories of his own.
type home struct {
	dir string
	env []string
}

// newHome makes a user. What runs on his behalf is ended with the test.
func newHome(t *testing.T) *home {
	t.Helper()
	data, err := os.ReadFile(shared.config)
	if err != nil {
		t.Fatal(err)
	}
	h := &home{dir: t.TempDir()}
	h.env = []string{
		"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "KUBEBUILDER_ASSETS=" + shared.assets,
		"CLUSTERCTL_CONFIG_HOME=" + filepath.Join(h.dir, "config"), "CLUSTERCTL_STATE_HOME=" + h.state(),
		// One image cache for all tests, as a user has one.
		"CLUSTERCTL_CACHE_HOME=" + filepath.Join(shared.dir, "cache"),
	}
	writeFile(t, filepath.Join(h.dir, "config", "clusterctl.yaml"), string(data))
	t.Cleanup(func() { h.end(t) })
	return h
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// setenv gives a variable another value.
func (h *home) setenv(name, value string) {
	for i, e := range h.env {
		if strings.HasPrefix(e, name+"=") {
			h.env[i] = name + "=" + value
			return
		}
	}
	h.env = append(h.env, name+"="+value)
}

func (h *home) state() string { return filepath.Join(h.dir, "state") }

func (h *home) bootstrap(name string) string { return filepath.Join(h.state(), "bootstraps", name) }

func (h *home) management(bootstrap string) string {
	return filepath.Join(h.bootstrap(bootstrap), "kubeconfig")
}

// end deletes the bootstrap clusters that a failed test left, so that the next one can start.
func (h *home) end(t *testing.T) {
	t.Helper()
	entries, _ := os.ReadDir(filepath.Join(h.state(), "bootstraps"))
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if t.Failed() {
			h.showLogs(t, e.Name())
		}
		if r := h.run(t, "delete", "bootstrap", e.Name(), "--abandon-clusters", "--yes"); r.code != 0 {
			t.Errorf("clean up bootstrap cluster %s: exit code %d\n%s", e.Name(), r.code, tail(r.err))
		}
	}
	kinds, _ := os.ReadDir(filepath.Join(h.state(), "kind"))
	for _, e := range kinds {
		if !e.IsDir() {
			continue
		}
		if r := h.run(t, "delete", "bootstrap", e.Name(), "--type", "kind", "--abandon-clusters", "--yes"); r.code != 0 {
			t.Errorf("clean up kind cluster %s: exit code %d\n%s", e.Name(), r.code, tail(r.err))
		}
	}
	for _, pid := range marked(h.state()) {
		t.Errorf("process left, killing it: %s", describe(pid))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func (h *home) showLogs(t *testing.T, bootstrap string) {
	t.Helper()
	logs, _ := filepath.Glob(filepath.Join(h.bootstrap(bootstrap), "logs", "*.log"))
	for _, l := range logs {
		data, _ := os.ReadFile(l)
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		t.Logf("last lines of %s:\n%s", filepath.Base(l), strings.Join(lines[max(0, len(lines)-5):], "\n"))
	}
}

// table is what a supervisor says that it runs.
type table struct {
	Supervisor struct{ PID int }
	Processes  []struct {
		Name     string
		Ident    struct{ PID int }
		Ready    bool
		Restarts int
	}
}

// table reads the process table of a bootstrap cluster; it is empty where there is none.
func (h *home) table(bootstrap string) table {
	var out table
	if data, err := os.ReadFile(filepath.Join(h.bootstrap(bootstrap), "status.json")); err == nil {
		_ = json.Unmarshal(data, &out)
	}
	return out
}

// pid is the process id of a process of a bootstrap cluster; 0: it doesn't run.
func (t table) pid(name string) int {
	for _, p := range t.Processes {
		if p.Name == name {
			return p.Ident.PID
		}
	}
	return 0
}

// known are all process ids of a table.
func (t table) known() map[int]bool {
	out := map[int]bool{t.Supervisor.PID: true}
	for _, p := range t.Processes {
		out[p.Ident.PID] = true
	}
	return out
}
