// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// progress is a line that the program writes with --progress json.
type progress struct {
	Kind, Step, Message string
}

// process is a run of the program that is under way. As an io.Writer it takes its standard error.
type process struct {
	cmd   *exec.Cmd
	began time.Time
	out   bytes.Buffer
	done  chan struct{} // closed when it has ended

	mu      sync.Mutex
	err     []byte
	parsed  int // bytes of err that are in events
	events  []progress
	changed chan struct{} // closed at the next event
}

// start starts the program in a process group of its own.
func (h *home) start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{began: time.Now(), done: make(chan struct{}), changed: make(chan struct{})}
	p.cmd = exec.Command(shared.bin, args...)
	p.cmd.Env, p.cmd.Dir = h.env, h.dir
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = &p.out, p, 10*time.Second
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// Write takes what the program says, and finds the events in it.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = append(p.err, b...)
	for {
		end := bytes.IndexByte(p.err[p.parsed:], '\n')
		if end < 0 {
			return len(b), nil
		}
		line := p.err[p.parsed : p.parsed+end]
		p.parsed += end + 1
		var e progress
		if json.Unmarshal(line, &e) == nil && e.Kind != "" {
			p.events = append(p.events, e)
			close(p.changed)
			p.changed = make(chan struct{})
		}
	}
}

// seen says whether an event is among those so far, and what to wait for if it isn't.
func (p *process) seen(kind, step string) (bool, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.events, func(e progress) bool { return e.Kind == kind && e.Step == step }), p.changed
}

// until waits for an event of a kind and step; false: the program ended without it.
func (p *process) until(t *testing.T, kind, step string) bool {
	t.Helper()
	limit := time.After(5 * time.Minute)
	for {
		ok, changed := p.seen(kind, step)
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-p.done:
			ok, _ := p.seen(kind, step)
			return ok
		case <-limit:
			t.Fatalf("no %s of step %s within 5 minutes:\n%s", kind, step, tail(p.said()))
		}
	}
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.err)
}

// killAfter kills it in a while; false: it ended before.
func (p *process) killAfter(t *testing.T, while time.Duration) bool {
	t.Helper()
	select {
	case <-p.done:
		return false
	case <-time.After(while):
	}
	p.signal(t, syscall.SIGKILL)
	return p.wait(t).code < 0
}

func (p *process) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// result is how a run of the program ended.
type result struct {
	out, err string
	code     int   // -1: by a signal
	peak     int64 // memory in bytes
	took     time.Duration
}

// wait waits for the end.
func (p *process) wait(t *testing.T) result {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(10 * time.Minute):
		t.Fatalf("%s doesn't end:\n%s", strings.Join(p.cmd.Args, " "), tail(p.said()))
	}
	r := result{out: p.out.String(), err: p.said(), code: p.cmd.ProcessState.ExitCode(), took: time.Since(p.began)}
	if u, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = u.Maxrss * 1024
	}
	return r
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
		t.Fatalf("clusterctl %s: exit code %d after %.0f s\n%s", strings.Join(args, " "), r.code, r.took.Seconds(), tail(r.err))
	}
	return r
}

// wantFailure runs the program and wants one clear error: an exit code and words in it, nothing on standard output.
func (h *home) wantFailure(t *testing.T, code int, words []string, args ...string) result {
	t.Helper()
	r := h.run(t, args...)
	r.wantError(t, code, words...)
	return r
}

func (r result) wantError(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\n%s", r.code, code, tail(r.err))
	}
	if strings.Count("\n"+r.err, "\nerror: ") != 1 || r.out != "" {
		t.Errorf("want one error and no output, got output %q and\n%s", r.out, tail(r.err))
	}
	for _, w := range words {
		if !strings.Contains(r.err, w) {
			t.Errorf("the error doesn't say %q:\n%s", w, tail(r.err))
		}
	}
	for _, w := range []string{"panic:", "goroutine ", "context deadline exceeded", "context canceled"} {
		if strings.Contains(r.err, w) {
			t.Errorf("the error says %q:\n%s", w, tail(r.err))
		}
	}
}

func tail(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-25):], "\n")
}
