// SPDX-License-Identifier: Apache-2.0

package create

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/flow"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

const clusterLong = `Create a cluster, from nothing to ready nodes.

It makes a bootstrap cluster (or takes an existing one), installs the Cluster API providers
and waits until they serve, creates the cluster, waits for it, writes its kubeconfig and
applies addons. Killed or stopped at any moment, the same command goes on; after the first
run "%[1]s create cluster NAME" alone is enough, and flags that are given with it change
only what they name.

The cluster is described in one of four ways:
  a template     --infrastructure, with --flavor, --kubernetes-version and machine counts
  files          --filename (files, folders, URLs, - for standard input), with variables
  v0.2's files   --cluster and --machines, with --provider-components and --addons
  a backup       --from-backup: a folder of "move --to-directory", or a move's snapshot; brings a
                 cluster that runs under management again when its management cluster is lost

The steps, each also a command "%[1]s phase STEP NAME":
%[2]s`

const clusterExample = `  # a cluster of simulated machines on this host, without a container engine
  clusterctl create cluster demo --bootstrap local --infrastructure docker --flavor in-memory --worker-machine-count 2

  # what would be done; changes nothing
  clusterctl create cluster demo --infrastructure docker --flavor in-memory --dry-run

  # from files, on a management cluster that is there already
  clusterctl create cluster prod -f cluster.yaml --bootstrap-kubeconfig mgmt.kubeconfig

  # go on after a failure
  clusterctl create cluster prod`

func newCmdCluster(f *cmdutil.Factory) *cobra.Command {
	o := &ClusterFlags{}
	cmd := &cobra.Command{
		Use:     "cluster [NAME]",
		Short:   "Create a cluster, from nothing to ready nodes",
		Long:    fmt.Sprintf(clusterLong, f.Program, stepList()),
		Example: clusterExample,
		Args:    cmdutil.OptionalArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCluster(cmd.Context(), f, cmd, o, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.AddFlags(cmd, f)
	cmdutil.DryRunVar(cmd.Flags(), &o.dryRun)
	cmdutil.OutputVar(cmd, f, &o.output, ui.Table, ui.JSON, ui.YAML)
	return cmd
}

func stepList() string {
	var b strings.Builder
	for _, s := range flow.CreateSteps() {
		fmt.Fprintf(&b, "  %-20s %s\n", s.Name, s.Title)
	}
	return strings.TrimRight(b.String(), "\n")
}

func runCluster(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *ClusterFlags, args []string) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	c, err := o.Flow(ctx, f, cmd, args)
	if err != nil {
		return err
	}
	if o.dryRun {
		plan, err := c.DryRun(ctx)
		if err != nil {
			return err
		}
		return printPlan(f.Streams, o.output, plan)
	}
	s, err := c.Run(ctx)
	if err != nil {
		return err
	}
	return printSummary(f, o.output, s)
}

// Flow makes the flow that the flags describe; commands that do single steps use it too.
func (o *ClusterFlags) Flow(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, args []string) (*flow.Create, error) {
	opts, err := o.options(cmd)
	if err != nil {
		return nil, cmdutil.WrongUsage(cmd, err)
	}
	host, err := f.FlowHost(ctx, cmd, true)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		opts.Name = args[0]
	} else if opts.Name, err = flow.NameFromInputs(ctx, opts, host); errors.Is(err, flow.ErrNoName) {
		return nil, cmdutil.WrongUsage(cmd, fault.WithHint(err, "give it as an argument: %s NAME", cmd.CommandPath()))
	} else if err != nil {
		return nil, err
	}
	return flow.NewCreate(opts, host)
}

func (o *ClusterFlags) options(cmd *cobra.Command) (flow.CreateOptions, error) {
	if err := o.legacy(); err != nil {
		return flow.CreateOptions{}, err
	}
	set, err := cmdutil.ParseSet(o.set)
	if err != nil {
		return flow.CreateOptions{}, err
	}
	opts := flow.CreateOptions{Namespace: o.namespace, Inputs: o.inputs, Bootstrap: o.bootstrap, Set: set}
	if cmd.Flags().Changed("control-plane-machine-count") {
		opts.Inputs.ControlPlaneMachineCount = &o.controlPlanes
	}
	if cmd.Flags().Changed("worker-machine-count") {
		opts.Inputs.WorkerMachineCount = &o.workers
	}
	if o.identity != "" {
		identities, err := cmdutil.ReadIdentities(o.identity)
		if err != nil {
			return opts, err
		}
		opts.Decrypt = func(data []byte) ([]byte, error) { return cmdutil.Decrypt(data, identities) }
	}
	if cmd.Flags().Changed("pivot") {
		opts.Inputs.Pivot = &o.pivot
	}
	return opts, opts.Inputs.ValidateValues() // Whether they are enough, a record of an earlier run decides.
}
