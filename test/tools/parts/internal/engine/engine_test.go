// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"os"
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
