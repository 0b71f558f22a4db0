// SPDX-License-Identifier: Apache-2.0

// Package phase holds the commands that do a single step of `create cluster`.
package phase

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/cmd/create"
	"github.com/clusterctl/clusterctl/pkg/flow"
)

// NewCommand makes `clusterctl phase`: one subcommand for each step of the flow.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	var subs []*cobra.Command
	var list strings.Builder
	for _, info := range flow.CreateSteps() {
		subs = append(subs, newCmdStep(f, info))
		fmt.Fprintf(&list, "\n  %-20s %s", info.Name, info.Title)
	}
	return cmdutil.NewGroup(&cobra.Command{
		Use:   "phase",
		Short: "Do a single step of create cluster",
		Long: `Do a single step of "create cluster", with the same flags. Each step looks at what is there
before it acts; the steps before it must have been done. In their order:
` + list.String(),
		Example: `  clusterctl phase preflight demo --infrastructure docker --flavor in-memory
  clusterctl phase bootstrap demo
  clusterctl phase providers demo`,
	}, subs...)
}

func newCmdStep(f *cmdutil.Factory, info flow.Info) *cobra.Command {
	o := &create.ClusterFlags{}
	cmd := &cobra.Command{
		Use:     info.Name + " [NAME]",
		Short:   info.Title,
		Long:    info.Title + ".\n\nOne step of \"create cluster\"; after its first step, the flags are remembered for the name.",
		Example: fmt.Sprintf(`  clusterctl phase %s demo`, info.Name),
		Args:    cmdutil.OptionalArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd.Context(), f, cmd, o, info.Name, args)
		},
		ValidArgsFunction: f.CompleteRecords(),
	}
	o.AddFlags(cmd, f)
	return cmd
}

func run(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *create.ClusterFlags, step string, args []string) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.Timeout())
	defer cancel()
	c, err := o.Flow(ctx, f, cmd, args)
	if err != nil {
		return err
	}
	_, err = c.RunStep(ctx, step)
	return err
}
