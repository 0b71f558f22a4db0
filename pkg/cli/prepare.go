// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

// prepare runs when the flags of a command are known, before the command.
func (r *run) prepare(cmd *cobra.Command) error {
	global := r.factory.Global
	if name := cmd.Name(); name == cobra.ShellCompRequestCmd || name == cobra.ShellCompNoDescRequestCmd {
		r.streams.ErrOut = io.Discard // a completion says nothing
	}
	r.prepared = true
	if err := applyEnvironment(r.globalFlags, r.getenv); err != nil {
		return err
	}
	format := global.LogFormat
	if r.progress() == ui.ProgressJSON { // one kind of lines in one stream
		format = "json"
	}
	r.factory.Log = newLog(logWriter{r}, format, global.Verbosity)
	r.bridge(r.factory.Log, global.Verbosity)
	return nil
}

// logWriter sends log lines through the view, so that they don't disturb lines that change.
type logWriter struct{ run *run }

func (w logWriter) Write(p []byte) (int, error) { return w.run.factory.View().Write(p) }

var _ io.Writer = logWriter{}

// view makes the view at its first use, by what the flags and the terminal say.
func (r *run) view() func() *ui.View {
	return sync.OnceValue(func() *ui.View {
		g := r.factory.Global
		return ui.NewView(ui.ViewOptions{
			Out:   r.streams.ErrOut,
			Mode:  r.progress(),
			Live:  ui.UseLive(r.streams.ErrTTY, r.getenv),
			Size:  r.streams.Size,
			UTF8:  ui.UseUTF8(runtime.GOOS, r.getenv),
			Color: ui.UseColor(g.Color, r.streams.ErrTTY, r.getenv),
		})
	})
}

// progress is how progress is shown: as the flag says, and as JSON lines where the result is JSON and no person looks on.
func (r *run) progress() ui.Progress {
	g := r.factory.Global
	if g.Progress == ui.ProgressAuto && g.Output == ui.JSON && !r.streams.ErrTTY {
		return ui.ProgressJSON
	}
	return g.Progress
}
