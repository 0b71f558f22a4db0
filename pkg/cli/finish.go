// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// finish ends the view, shows the error and gives the exit code. It is the only place where errors become exit codes.
func (r *run) finish(err error) int {
	view := r.factory.View()
	view.Close()
	if err == nil || errors.Is(err, syscall.EPIPE) {
		if lost := r.stdout.failure(); lost != nil {
			err = fmt.Errorf("write the result to standard output: %w", lost)
		}
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) { // whoever read the result went away: nobody to tell
		return int(fault.Failed)
	}
	var usage *cmdutil.UsageError
	line := ""
	if errors.As(err, &usage) {
		line = usage.Line
	}
	g := r.factory.Global
	ui.PrintError(r.streams.ErrOut, err, ui.ErrorOptions{
		JSON:  g.LogFormat == "json" || r.progress() == ui.ProgressJSON,
		Color: ui.UseColor(g.Color, r.streams.ErrTTY, r.getenv),
		Usage: line,
	})
	if r.interrupted() {
		return int(fault.Interrupted)
	}
	return int(fault.CodeOf(err))
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
