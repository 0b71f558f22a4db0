// SPDX-License-Identifier: Apache-2.0

// Package cli_test runs the program as a person would: scripts in testdata say what is typed and what must come out.
package cli_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/clusterctl/clusterctl/pkg/cli"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// TestMain lets the scripts run the real program: this test binary starts itself again as clusterctl.
func TestMain(m *testing.M) {
	run := func() {
		streams := ui.NewStreams(os.Stdin, os.Stdout, os.Stderr)
		os.Exit(cli.Main(context.Background(), os.Args, streams, os.LookupEnv))
	}
	testscript.Main(m, map[string]func(){
		"clusterctl":        run,
		"kubectl-demo_tool": run,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// nothing of the machine that the tests run on
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("KUBECONFIG", env.WorkDir+"/no-such-kubeconfig")
			env.Setenv("LANG", "C.UTF-8")
			return os.MkdirAll(env.WorkDir+"/home", 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}
