// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"log/slog"
	"os"
	"sync"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/paths"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/ui"
	"github.com/clusterctl/clusterctl/pkg/version"
)

// Factory holds what the commands of one run need. It is made once, by pkg/cli; a test makes its own.
// Functions are lazy: a command that doesn't need something doesn't pay for it.
type Factory struct {
	// Program is how the program is called in texts: "clusterctl", or "kubectl clusterctl" as a plugin.
	Program string
	// Streams are standard input, output and error.
	Streams ui.Streams
	// LookupEnv reads an environment variable and says whether it is set.
	LookupEnv func(string) (string, bool)
	// Environ lists the whole environment, NAME=VALUE, for programs that we start.
	Environ func() []string
	// Getenv reads an environment variable, "" if it isn't set.
	Getenv func(string) string
	// Global are the flags of every command, valid when a command runs.
	Global *Global
	// View is the event sink of this run. It is made at its first use, when the flags are known.
	View func() *ui.View
	// Log is for developers' messages, which -v shows. It never has secrets.
	Log *slog.Logger
	// Dirs are the user's directories.
	Dirs func() (paths.Dirs, error)
	// Executable is the path of this program, to start itself again.
	Executable func() (string, error)
	// LoadConfig reads the providers and the user's clusterctl.yaml. Options are needed for variables that come
	// from flags only; where the file is and the environment are filled in. Warnings about the file are shown.
	LoadConfig func(context.Context, provider.LoadOptions) (*provider.Config, error)
	// Kube connects to the server that flags name, without sending anything. The namespace of the answer is that of
	// the flags, else of the context. Close ends the connection and shows the server's warnings.
	Kube func(context.Context, KubeFlags) (*kube.Client, *kube.Config, error)
	// Version describes this build.
	Version func() version.Info

	mu      sync.Mutex
	clients []*kube.Client
}

// NewFactory makes a Factory for real use; the view and the log come from pkg/cli, which knows how they are to look.
func NewFactory(streams ui.Streams, lookupEnv func(string) (string, bool)) *Factory {
	getenv := func(name string) string {
		value, _ := lookupEnv(name)
		return value
	}
	f := &Factory{
		Program:   "clusterctl",
		Streams:   streams,
		LookupEnv: lookupEnv,
		Getenv:    getenv,
		Global:    &Global{LogFormat: "text", Progress: ui.ProgressAuto, Color: ui.ColorAuto},
		View:      sync.OnceValue(func() *ui.View { return ui.NewView(ui.ViewOptions{Out: streams.ErrOut}) }),
		Log:       slog.New(slog.DiscardHandler),
		Dirs: sync.OnceValues(func() (paths.Dirs, error) {
			return paths.Resolve(getenv)
		}),
		Environ:    os.Environ,
		Executable: os.Executable,
		Version:    version.Get,
	}
	f.LoadConfig, f.Kube = f.loadConfig, f.kubeClient
	return f
}
