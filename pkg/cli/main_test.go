// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testRun is a run on buffers, without an environment and without anything that is the process's.
func testRun(out io.Writer, env ...string) (*run, *bytes.Buffer) {
	var errOut bytes.Buffer
	lookup := func(name string) (string, bool) {
		for _, pair := range env {
			if k, v, _ := strings.Cut(pair, "="); k == name {
				return v, true
			}
		}
		return "", false
	}
	return newRun(ui.Streams{In: strings.NewReader(""), Out: out, ErrOut: &errOut}, lookup), &errOut
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	list := &fault.List{}
	list.Add(fault.Usagef("a"))
	list.Add(errors.New("b"))
	cases := []struct {
		name string
		err  error
		want int
	}{
		{"ok", nil, 0},
		{"plain", errors.New("x"), 1},
		{"usage", fault.Usagef("x"), 2},
		{"usage inside", fmt.Errorf("y: %w", fault.Usagef("x")), 2},
		{"deadline", fmt.Errorf("y: %w", context.DeadlineExceeded), 3},
		{"refused", fault.Refusedf("x"), 4},
		{"partial", fault.WithCode(fault.Partial, fault.Timeoutf("x")), 5},
		{"cancelled", fmt.Errorf("y: %w", context.Canceled), 130},
		{"several", list, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, errOut := testRun(io.Discard)
			if got := r.finish(c.err); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
			if (errOut.Len() > 0) != (c.err != nil) {
				t.Errorf("standard error has %q", errOut.String())
			}
		})
	}
}

func TestInterruptedRunSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		err  error
		want string
	}{
		{
			"bare", fmt.Errorf("wait for demo: %w", context.Canceled),
			"error: wait for demo: interrupted\nhint: run the same command again to go on\n",
		},
		{
			"other class", fault.WithHint(fault.WithCode(fault.Partial, fmt.Errorf("half-way: %w", context.Canceled)), "do x"),
			"error: half-way: interrupted\nhint: do x\n",
		},
		{"other error", errors.New("connection lost"), "error: connection lost\nhint: run the same command again to go on\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, errOut := testRun(io.Discard)
			r.interrupted.Store(true)
			if got := r.finish(c.err); got != 130 || errOut.String() != c.want {
				t.Errorf("exit code %d, standard error\n%s\nwant\n%s", got, errOut.String(), c.want)
			}
		})
	}
}

// TestDeadlineInWords: whoever reads of a deadline is told so in plain words, and what to do, whichever package it passed in.
func TestDeadlineInWords(t *testing.T) {
	t.Parallel()
	r, errOut := testRun(io.Discard)
	const want = "error: make x: not finished in time\nhint: run the same command again to go on, or give it more time with --timeout\n"
	if got := r.finish(fmt.Errorf("make x: %w", context.DeadlineExceeded)); got != 3 || errOut.String() != want {
		t.Errorf("exit code %d, standard error\n%s\nwant\n%s", got, errOut.String(), want)
	}
}

func TestInterruptedRunThatFinishedIsFine(t *testing.T) {
	t.Parallel()
	r, _ := testRun(io.Discard)
	r.interrupted.Store(true)
	if got := r.finish(nil); got != 0 {
		t.Errorf("exit code %d", got)
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	r, errOut := testRun(io.Discard)
	exits := make(chan int, 1)
	r.exit = func(code int) { exits <- code }
	ctx, cancel := context.WithCancelCause(t.Context())
	got, done := make(chan os.Signal), make(chan struct{})
	go r.watch(got, done, cancel)
	got <- syscall.SIGTERM
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the first signal does not cancel the context")
	}
	if cause := context.Cause(ctx); fault.CodeOf(cause) != fault.Interrupted || !errors.Is(cause, context.Canceled) || cause.Error() != "interrupted" {
		t.Errorf("cause %v", cause)
	}
	if len(exits) > 0 {
		t.Error("the first signal ends the process")
	}
	got <- os.Interrupt
	if code := <-exits; code != 130 {
		t.Errorf("exit code %d", code)
	}
	close(done)
	if n := strings.Count(errOut.String(), "stopping at the next safe point"); n != 1 {
		t.Errorf("%d notices:\n%s", n, errOut.String())
	}
}

// brokenWriter is a standard output that can't be written to.
type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestResultThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		err  error
		code int
		want string
	}{
		{"full disk", syscall.ENOSPC, 1, "write the result to standard output: no space left on device\n"},
		{"reader went away", &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, 1, ""},
	}
	for _, c := range cases {
		for _, args := range [][]string{{"version"}, {"--help"}, {"completion", "bash"}} {
			t.Run(c.name+" "+args[0], func(t *testing.T) {
				t.Parallel()
				r, errOut := testRun(brokenWriter{c.err})
				code := r.finish(r.execute(t.Context(), append([]string{"clusterctl"}, args...)))
				if code != c.code || c.want == "" && errOut.Len() > 0 || !strings.Contains(errOut.String(), c.want) {
					t.Errorf("exit code %d, standard error %q", code, errOut.String())
				}
			})
		}
	}
}

func TestPanicIsOneLine(t *testing.T) {
	t.Parallel()
	for _, verbosity := range []int{0, 5} {
		r, errOut := testRun(io.Discard)
		r.factory.Global.Verbosity = verbosity
		r.factory.Version = nil // calling it panics
		code := r.finish(r.execute(t.Context(), []string{"clusterctl", "version", "-v", fmt.Sprint(verbosity)}))
		if code != 1 || !strings.Contains(errOut.String(), "error: internal error: ") || !strings.Contains(errOut.String(), "hint: this is a bug in clusterctl") {
			t.Errorf("exit code %d:\n%s", code, errOut.String())
		}
		if hasStack := strings.Contains(errOut.String(), "goroutine "); hasStack != (verbosity >= 5) {
			t.Errorf("with -v %d the stack is shown: %v", verbosity, hasStack)
		}
	}
}

func TestJSONResultMakesJSONProgress(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		output   ui.Format
		progress ui.Progress
		tty      bool
		want     ui.Progress
	}{
		{"json in a script", ui.JSON, ui.ProgressAuto, false, ui.ProgressJSON},
		{"json before a person", ui.JSON, ui.ProgressAuto, true, ui.ProgressAuto},
		{"the flag wins", ui.JSON, ui.ProgressPlain, false, ui.ProgressPlain},
		{"table", ui.Table, ui.ProgressAuto, false, ui.ProgressAuto},
	}
	for _, c := range cases {
		r, _ := testRun(io.Discard)
		r.streams.ErrTTY = c.tty
		*r.factory.Global = cmdutil.Global{Output: c.output, Progress: c.progress}
		if got := r.progress(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEventsAndErrorsInJSON(t *testing.T) {
	t.Parallel()
	r, errOut := testRun(io.Discard)
	r.factory.Global.Output = ui.JSON
	event.Startf(r.factory.View(), "a", "A")
	if code := r.finish(fault.Refusedf("no")); code != 4 {
		t.Errorf("exit code %d", code)
	}
	for line := range strings.Lines(errOut.String()) {
		if !strings.HasPrefix(line, "{") {
			t.Errorf("not JSON: %s", line)
		}
	}
}
