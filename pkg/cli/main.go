// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"log/slog"
	"os"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// Main runs the program and returns its exit code. args has the program's name first;
// lookupEnv reads the environment, as os.LookupEnv does.
func Main(ctx context.Context, args []string, streams ui.Streams, lookupEnv func(string) (string, bool)) int {
	r := newRun(streams, lookupEnv)
	r.bridge = bridgeKlog
	ctx, stop := r.signals(ctx)
	defer stop()
	return r.finish(r.execute(ctx, args))
}

// run is one run of the program.
type run struct {
	factory     *cmdutil.Factory
	streams     ui.Streams
	getenv      func(string) string
	stdout      *checkedWriter
	globalFlags *pflag.FlagSet
	prepared    bool // prepare has been called
	interrupted atomic.Bool
	exit        func(code int)                        // ends the process at once
	bridge      func(log *slog.Logger, verbosity int) // makes libraries use our log
}

func newRun(streams ui.Streams, lookupEnv func(string) (string, bool)) *run {
	stdout := &checkedWriter{Writer: streams.Out}
	streams.Out = stdout
	r := &run{
		streams: streams, stdout: stdout,
		exit:   os.Exit, //nolint:forbidigo // the second Ctrl-C ends the process at once
		bridge: func(*slog.Logger, int) {},
	}
	r.factory = cmdutil.NewFactory(streams, lookupEnv)
	r.factory.View = r.view()
	r.getenv = r.factory.Getenv
	return r
}

// execute runs the command that args ask for.
func (r *run) execute(ctx context.Context, args []string) (err error) {
	defer r.recovered(&err)
	program := "clusterctl"
	if len(args) > 0 {
		program, args = programName(args[0]), args[1:]
	}
	r.factory.Program = program
	root := newRoot(r.factory, r.prepare) //nolint:contextcheck // commands get their context from cobra when they run
	r.globalFlags = root.PersistentFlags()
	root.SetArgs(args)
	root.SetIn(r.streams.In)
	root.SetOut(r.streams.Out)
	root.SetErr(r.streams.ErrOut)
	return root.ExecuteContext(ctx)
}
