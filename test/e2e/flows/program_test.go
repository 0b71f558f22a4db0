// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// home is one user's world: directories of his own.
type home struct {
	dir string
	env []string
}

// newHome makes a user. What runs on his behalf is ended with the test, by the program itself.
func newHome(t *testing.T) *home {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "config")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(shared.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "clusterctl.yaml"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	h := &home{dir: dir, env: []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "KUBEBUILDER_ASSETS=" + shared.assets,
		"CLUSTERCTL_CONFIG_HOME=" + config, "CLUSTERCTL_STATE_HOME=" + h0(dir, "state"),
		// One image cache for all tests, as a user has one.
		"CLUSTERCTL_CACHE_HOME=" + h0(filepath.Dir(shared.config), "cache"),
	}}
	t.Cleanup(func() { h.endAll(t) })
	return h
}

func h0(dir, name string) string { return filepath.Join(dir, name) }

func (h *home) state() string { return filepath.Join(h.dir, "state") }

// endAll deletes the bootstrap clusters that a failed test left, so that the next one can start.
func (h *home) endAll(t *testing.T) {
	entries, _ := os.ReadDir(filepath.Join(h.state(), "bootstraps"))
	for _, e := range entries {
		if t.Failed() {
			h.showLogs(t, e.Name())
		}
		h.run(t, "delete", "bootstrap", e.Name(), "--abandon-clusters", "--yes")
	}
}

func (h *home) showLogs(t *testing.T, bootstrap string) {
	logs, _ := filepath.Glob(filepath.Join(h.state(), "bootstraps", bootstrap, "logs", "*.log"))
	for _, l := range logs {
		data, _ := os.ReadFile(l)
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		t.Logf("last lines of %s:\n%s", filepath.Base(l), strings.Join(lines[max(0, len(lines)-5):], "\n"))
	}
}

// result is how a run of the program ended.
type result struct {
	out, err string
	code     int
	peak     int64 // bytes
	took     time.Duration
}

// run runs the program to its end.
func (h *home) run(t *testing.T, args ...string) result {
	t.Helper()
	return h.start(t, args...).wait(t)
}

// must runs the program and wants success.
func (h *home) must(t *testing.T, args ...string) result {
	t.Helper()
	r := h.run(t, args...)
	if r.code != 0 {
		t.Fatalf("clusterctl %s: exit code %d\n%s", strings.Join(args, " "), r.code, tail(r.err))
	}
	return r
}

// process is a run of the program that is under way.
type process struct {
	cmd    *exec.Cmd
	out    bytes.Buffer
	began  time.Time
	events chan progress
	mu     sync.Mutex
	err    bytes.Buffer
	read   sync.WaitGroup
}

// progress is a line that the program writes with --progress json.
type progress struct {
	Kind, Step, Message string
}

// start starts the program in a process group of its own. Its progress lines arrive in events.
func (h *home) start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{events: make(chan progress, 100_000), began: time.Now()}
	p.cmd = exec.Command(shared.bin, args...)
	p.cmd.Env, p.cmd.Dir = h.env, h.dir
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stdout = &p.out
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.read.Go(func() {
		defer close(p.events)
		s := bufio.NewScanner(stderr)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			p.mu.Lock()
			p.err.Write(append(s.Bytes(), '\n'))
			p.mu.Unlock()
			var e progress
			if json.Unmarshal(s.Bytes(), &e) == nil && e.Kind != "" {
				p.events <- e
			}
		}
	})
	return p
}

// until waits for an event of a kind and step; false: the program ended without it.
func (p *process) until(t *testing.T, kind, step string) bool {
	t.Helper()
	limit := time.After(5 * time.Minute)
	for {
		select {
		case e, ok := <-p.events:
			if !ok {
				return false
			}
			if e.Kind == kind && e.Step == step {
				return true
			}
		case <-limit:
			t.Fatalf("no %s of step %s within 5 minutes", kind, step)
		}
	}
}

func (p *process) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !strings.Contains(err.Error(), "finished") {
		t.Fatal(err)
	}
}

func (p *process) wait(t *testing.T) result {
	t.Helper()
	p.read.Wait()
	_ = p.cmd.Wait()
	r := result{out: p.out.String(), err: p.err.String(), code: p.cmd.ProcessState.ExitCode(), took: time.Since(p.began)}
	if u, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = u.Maxrss * 1024
	}
	return r
}

func tail(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-25):], "\n")
}
