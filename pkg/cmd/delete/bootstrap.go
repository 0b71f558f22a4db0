// SPDX-License-Identifier: Apache-2.0

package delete

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/flow"
)

type bootstrapOptions struct {
	name    string
	kind    bootstrap.Type
	assets  string
	abandon bool
	yes     bool
	timeout time.Duration
}

func newCmdBootstrap(f *cmdutil.Factory) *cobra.Command {
	o := &bootstrapOptions{}
	cmd := &cobra.Command{
		Use:   "bootstrap NAME",
		Short: "Delete a bootstrap cluster that manages nothing",
		Long: `Delete a bootstrap cluster: stop its processes in order, or remove the containers that were made for it, and remove its state.
It is refused while the bootstrap cluster still manages clusters, because nobody else knows their infrastructure.`,
		Example: `  clusterctl delete bootstrap lab

  # its clusters' infrastructure is gone already
  clusterctl delete bootstrap lab --abandon-clusters --yes`,
		Args: cmdutil.ExactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runBootstrap(cmd.Context(), f, cmd, o)
		},
		ValidArgsFunction: f.CompleteBootstraps(),
	}
	fl := cmd.Flags()
	cmdutil.EnumVar(cmd, &o.kind, "type", "", "", []bootstrap.Type{bootstrap.Kind, bootstrap.Local}, "type, where two have the same name")
	fl.BoolVar(&o.abandon, "abandon-clusters", false, "delete it also if it manages clusters or can't be asked; their infrastructure stays, and nobody manages it any more")
	fl.StringVar(&o.assets, "local-assets", f.Getenv("KUBEBUILDER_ASSETS"), "folder with its binaries, should it have to be brought back (env KUBEBUILDER_ASSETS)")
	fl.Lookup("local-assets").DefValue = ""
	cmdutil.YesVar(fl, &o.yes)
	cmdutil.TimeoutVar(fl, &o.timeout, 5*time.Minute)
	return cmd
}

func runBootstrap(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *bootstrapOptions) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	host, err := f.FlowHost(ctx, cmd, false)
	if err != nil {
		return err
	}
	b, err := flow.OpenBootstrap(o.name, flow.BootstrapOptions{Type: o.kind, AssetsDir: o.assets}, host)
	if err != nil {
		return err
	}
	st, err := b.Status(ctx)
	if err != nil {
		return err
	}
	question := fmt.Sprintf("Delete bootstrap cluster %q?", o.name)
	if o.abandon {
		question = fmt.Sprintf("Delete bootstrap cluster %q, also if it manages clusters? Nobody else knows their infrastructure.", o.name)
	}
	if err := f.Confirm(ctx, o.yes || st.State == bootstrap.Missing, question); err != nil {
		return err
	}
	const step = flow.StepDeleteBootstrap
	event.Startf(host.Sink, step, "Delete bootstrap cluster %q", o.name)
	outcome, err := flow.DeleteBootstrap(ctx, b, host, o.abandon)
	if err != nil {
		event.Failf(host.Sink, step, "bootstrap cluster %q stays", o.name)
		return err
	}
	event.Donef(host.Sink, step, "%s", outcome)
	return nil
}
