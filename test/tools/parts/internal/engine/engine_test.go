// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLacksSysResource(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]bool{
		"Name:\tx\nCapBnd:\t000001ffffffffff\nNoNewPrivs:\t0\n": false,
		"Name:\tx\nCapBnd:\t000001fffeffffff\nNoNewPrivs:\t0\n": true,
	} {
		if got, err := lacksSysResource(status); err != nil || got != want {
			t.Errorf("lacksSysResource(%q) = %v, %v, want %v", status, got, err, want)
		}
	}
	for _, status := range []string{"", "CapBnd:\tx\n"} {
		if _, err := lacksSysResource(status); err == nil {
			t.Errorf("lacksSysResource(%q): no error", status)
		}
	}
}

func TestLastLines(t *testing.T) {
	t.Parallel()
	if got := lastLines("a\nb\nc\n", 2); got != "b\nc" {
		t.Errorf("lastLines() = %q, want the last two", got)
	}
	if got := lastLines("a", 2); got != "a" {
		t.Errorf("lastLines() of one line = %q", got)
	}
}

func TestStopWhatWasNotStarted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	e := Engine{Dir: t.TempDir(), Out: &out}
	if err := e.Stop(t.Context()); err != nil || !strings.Contains(out.String(), "no engine was started here") {
		t.Errorf("Stop() = %v, says %q", err, out.String())
	}
	// The number of an ended daemon may be another process's by now: this one's.
	if err := os.WriteFile(e.pidFile(), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(t.Context()); err != nil || !strings.Contains(out.String(), "has ended already") {
		t.Errorf("Stop() = %v, says %q", err, out.String())
	}
	if _, err := os.Stat(e.pidFile()); !os.IsNotExist(err) {
		t.Errorf("the file of the ended daemon's number is still there: %v", err)
	}
}

func TestStopEndsTheDaemon(t *testing.T) {
	t.Parallel()
	// A process of that name.
	program, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	daemon := filepath.Join(t.TempDir(), "dockerd")
	if err := os.WriteFile(daemon, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(daemon, "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	e := Engine{Dir: t.TempDir(), Out: &bytes.Buffer{}}
	if err := os.WriteFile(e.pidFile(), fmt.Appendln(nil, cmd.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "terminated") {
		t.Errorf("the daemon ended with %v, want a signal", err)
	}
}

func TestLimitsAreRaisedAndPutBack(t *testing.T) {
	t.Parallel()
	e := Engine{Dir: filepath.Join(t.TempDir(), "engine"), Settings: t.TempDir(), Out: &bytes.Buffer{}}
	write := func(name, value string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(e.setting(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(e.setting(name), []byte(value+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := func(name, value string) {
		t.Helper()
		if data, err := os.ReadFile(e.setting(name)); err != nil || strings.TrimSpace(string(data)) != value {
			t.Errorf("%s is %q, %v, want %s", name, data, err, value)
		}
	}
	write(instancesFile, "128")
	write("kernel/panic", "1")
	for range 2 { // The second time nothing is noted any more: what is there then isn't what was.
		if err := e.raiseLimits(); err != nil {
			t.Fatal(err)
		}
		want(instancesFile, "1024")
		write("kernel/panic", "10")
	}
	if err := e.restoreLimits(); err != nil {
		t.Fatal(err)
	}
	want(instancesFile, "128")
	want("kernel/panic", "1")
	write(instancesFile, "8192")
	if err := e.raiseLimits(); err != nil {
		t.Fatal(err)
	}
	want(instancesFile, "8192")
}
