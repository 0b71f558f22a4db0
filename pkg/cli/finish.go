// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// finish ends the view, shows the error and gives the exit code. It is the only place where errors become exit codes.
func (r *run) finish(err error) int {
	if !r.prepared && r.globalFlags != nil { // a wrong call ends before prepare; how errors look is to be known all the same
		_ = applyEnvironment(r.globalFlags, r.getenv)
	}
	r.factory.Close()
	r.factory.View().Close()
	if err == nil {
		err = r.stdout.failure() // a full disk, a closed stream
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, syscall.EPIPE) && r.stdout.failure() != nil:
		return int(fault.Failed) // whoever read the result went away: nobody wants to hear of it
	case r.interrupted.Load():
		err = interrupted(err)
	case r.stdout.failure() != nil: // what is full there isn't one of our folders
		err = overdue(err)
	default:
		err = overdue(fullDisk(err))
	}
	g := r.factory.Global
	ui.PrintError(r.streams.ErrOut, err, ui.ErrorOptions{
		JSON:  g.LogFormat == "json" || r.progress() == ui.ProgressJSON,
		Color: ui.UseColor(g.Color, r.streams.ErrTTY, r.getenv),
		Usage: usageLine(err),
	})
	return int(fault.CodeOf(err))
}

// interrupted makes an error of class Interrupted of what a command returned after Ctrl-C, with how to go on.
func interrupted(err error) error {
	text := err
	if errors.Is(err, context.Canceled) {
		text = &reworded{text: strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted"), err: err}
	}
	if len(fault.Hints(err)) > 0 {
		return fault.WithCode(fault.Interrupted, text)
	}
	return &fault.Error{Code: fault.Interrupted, Err: text, Hint: resuming}
}

// overdue says of a deadline that passed what people know it by, with how to go on.
func overdue(err error) error {
	raw := context.DeadlineExceeded.Error()
	if fault.CodeOf(err) != fault.Timeout || !strings.Contains(err.Error(), raw) {
		return err
	}
	return &fault.Error{
		Err: &reworded{text: strings.ReplaceAll(err.Error(), raw, "not finished in time"), err: err}, Fallback: true,
		Hint: resuming + ", or give it more time with --timeout",
	}
}

// fullDisk says what helps wherever a file couldn't be written for want of space.
func fullDisk(err error) error {
	if !errors.Is(err, syscall.ENOSPC) || len(fault.Hints(err)) > 0 {
		return err
	}
	return fault.WithHint(err, "free some space and run the same command again, or set CLUSTERCTL_STATE_HOME and CLUSTERCTL_CACHE_HOME to directories on another disk")
}

// reworded is an error with another text.
type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }

func (e *reworded) Unwrap() error { return e.err }

// usageLine is the usage line of a command that was called wrongly, "" for any other error.
func usageLine(err error) string {
	var usage *cmdutil.UsageError
	if errors.As(err, &usage) {
		return usage.Line
	}
	return ""
}

// recovered makes an error of a panic: a person sees one line and what to do, the stack only with -v 5.
func (r *run) recovered(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if r.factory.Global.Verbosity >= 5 {
		_, _ = r.factory.View().Write(debug.Stack())
	}
	*err = fault.WithHint(fmt.Errorf("internal error: %v", p),
		"this is a bug in clusterctl: please report it with the command, and with what -v 5 shows")
}
