// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/kind"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/flow"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// SupervisorCommand is the hidden command that keeps a local bootstrap cluster running.
const SupervisorCommand = "bootstrap-supervisor"

// FlowHost gathers what a flow needs of this process. withConfig says whether the flow needs the providers' configuration.
func (f *Factory) FlowHost(ctx context.Context, cmd *cobra.Command, withConfig bool) (flow.Host, error) {
	dirs, err := f.Dirs()
	if err != nil {
		return flow.Host{}, err
	}
	exe, err := f.Executable()
	if err != nil {
		return flow.Host{}, fmt.Errorf("find this program's own path: %w", err)
	}
	wd, err := os.Getwd()
	if err != nil {
		return flow.Host{}, fault.WithHint(fmt.Errorf("find the working directory: %w", err), "it may have been deleted: cd to another one")
	}
	h := flow.Host{
		Dirs: dirs, WorkDir: wd, Getenv: f.Getenv, Environ: f.Environ(), Stdin: f.Streams.In,
		Supervisor: []string{exe, SupervisorCommand},
		UserAgent:  "clusterctl/" + f.Version().Version,
		Command:    commandLine(cmd),
		Self:       f.Mover(),
		Alive:      Alive(),
		Sink:       f.View(),
		Engine:     sync.OnceValues(func() (string, error) { return kind.Engine(ctx, f.Getenv) }),
	}
	h.LoadConfig = func(ctx context.Context) (*provider.Config, error) { return f.loadConfig(ctx, provider.LoadOptions{}) }
	if withConfig {
		h.Config, err = h.LoadConfig(ctx)
	}
	return h, err
}

// commandLine is how the user called us, for the message to a second run: the command alone, no flags, which may hold anything.
func commandLine(cmd *cobra.Command) string {
	return strings.TrimSpace(cmd.CommandPath() + " " + strings.Join(cmd.Flags().Args(), " "))
}
