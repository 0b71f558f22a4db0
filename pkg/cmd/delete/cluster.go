// SPDX-License-Identifier: Apache-2.0

package delete

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/flow"
)

// DefaultTimeout is the time that delete cluster has for everything.
const DefaultTimeout = 30 * time.Minute

const clusterLong = `Delete one cluster: its Machines, its infrastructure and what was made for it.

Only the Cluster object is deleted; its controllers take the rest apart in their own order.
While it waits it says what blocks. Finalizers are never removed. When the cluster is gone,
the kubeconfig that was written for it goes, and the bootstrap cluster that was made for it,
unless that one still manages other clusters.

Without --kubeconfig the management cluster is the one that "create cluster" recorded for the
name, else that of the current context. Stopped at any moment, the same command goes on.`

type clusterOptions struct {
	flow.DeleteOptions
	kube   cmdutil.KubeFlags
	yes    bool
	dryRun bool
	forget bool
	// ignoreNotFound is kubectl's: what isn't there is as good as deleted.
	ignoreNotFound bool
	timeout        time.Duration
}

func newCmdCluster(f *cmdutil.Factory) *cobra.Command {
	o := &clusterOptions{}
	cmd := &cobra.Command{
		Use:   "cluster NAME",
		Short: "Delete one cluster and what was made for it",
		Long:  clusterLong,
		Example: `  # ask first, then delete
  clusterctl delete cluster demo

  # in a script
  clusterctl delete cluster demo --yes --timeout 20m

  # what would go; changes nothing
  clusterctl delete cluster demo --dry-run

  # a cluster on another management cluster
  clusterctl delete cluster prod -n team-a --kubeconfig mgmt.kubeconfig

  # a clean-up that may run twice
  clusterctl delete cluster demo --yes --ignore-not-found`,
		Args: cmdutil.ExactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Target = flow.Target{Name: args[0], Namespace: o.kube.Namespace, Kubeconfig: o.kube.Kubeconfig, Context: o.kube.Context}
			err := runCluster(cmd.Context(), f, cmd, o)
			if !o.ignoreNotFound || !flow.NothingToDelete(err) {
				return err
			}
			_, err = fmt.Fprintf(f.Streams.Out, "nothing to delete: %s\n", fault.Brief(err))
			return err
		},
	}
	o.kube.AddFlags(cmd, f)
	o.kube.AddNamespace(cmd, f)
	fl := cmd.Flags()
	fl.BoolVar(&o.KeepBootstrap, "keep-bootstrap", false, "keep the bootstrap cluster that was made for it")
	fl.BoolVar(&o.KeepProviders, "keep-providers", false, "leave on an existing management cluster what was installed there for its clusters, also when nothing needs it any more")
	fl.BoolVar(&o.forget, "forget", false, "only forget a cluster whose bootstrap cluster is gone for good")
	fl.BoolVar(&o.ignoreNotFound, "ignore-not-found", false, "exit with 0 where there is no such cluster: no run of this host made it, and no kubeconfig leads to it")
	fl.BoolVar(&o.All, "all", false, "of a cluster that manages itself: delete also the other clusters that it manages")
	cmdutil.EnumVar(cmd, &o.Bootstrap.Type, "bootstrap", "", "", []bootstrap.Type{flow.Auto, bootstrap.Kind, bootstrap.Local, bootstrap.Existing},
		"bootstrap cluster to move a cluster out to that manages itself (default auto)")
	cmdutil.KindVars(fl, &o.Bootstrap.Kind)
	fl.StringVar(&o.Bootstrap.Kubeconfig, "bootstrap-kubeconfig", "", "kubeconfig of an existing cluster to move it out to")
	fl.StringVar(&o.Bootstrap.Context, "bootstrap-context", "", "context of that kubeconfig")
	fl.StringVar(&o.Bootstrap.KubernetesVersion, "bootstrap-kubernetes-version", "", "Kubernetes version of a local bootstrap cluster (default "+local.DefaultKubernetesVersion+")")
	fl.StringVar(&o.Bootstrap.AssetsDir, "local-assets", f.Getenv("KUBEBUILDER_ASSETS"), "folder with the binaries of a local bootstrap cluster that has to be brought back (env KUBEBUILDER_ASSETS)")
	fl.Lookup("local-assets").DefValue = ""
	cmdutil.YesVar(fl, &o.yes)
	cmdutil.DryRunVar(fl, &o.dryRun)
	cmdutil.TimeoutVar(fl, &o.timeout, DefaultTimeout)
	cmd.ValidArgsFunction = f.CompleteKnownClusters(&o.kube)
	return cmd
}

func runCluster(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *clusterOptions) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	host, err := f.FlowHost(ctx, cmd, false)
	if err != nil {
		return err
	}
	d, err := flow.NewDelete(o.DeleteOptions, host)
	if err != nil {
		return err
	}
	unlock, err := d.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if o.forget {
		if err := d.Forget(ctx); err != nil {
			return err
		}
		_, err = fmt.Fprintf(f.Streams.Out, "the run of cluster %s is forgotten\n", d.Key())
		return err
	}
	if err := confirm(ctx, f, o, d); err != nil || o.dryRun {
		return err
	}
	if err := d.Run(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.Streams.Out, "cluster %s deleted\n", d.Key())
	return err
}

// confirm shows what would go, and asks. It asks before it looks where nobody can answer: a pipe gets its refusal at once.
func confirm(ctx context.Context, f *cmdutil.Factory, o *clusterOptions, d *flow.Delete) error {
	if o.yes && !o.dryRun {
		return nil
	}
	if !o.dryRun {
		if err := f.CanConfirm(); err != nil {
			return err
		}
	}
	p, err := d.Preview(ctx)
	if err != nil {
		return err
	}
	if o.dryRun {
		return printPreview(f.Streams.Out, p, d)
	}
	event.Notef(f.View(), "%s", p)
	return f.Confirm(ctx, false, fmt.Sprintf("Delete cluster %s on the %s?", d.Key(), d.Where()))
}

func printPreview(out io.Writer, p string, d *flow.Delete) error {
	if _, err := fmt.Fprintf(out, "would delete from the %s:\n%s\n", d.Where(), p); err != nil {
		return err
	}
	if b := d.MadeBootstrap(); b != "" {
		_, err := fmt.Fprintf(out, "and then the %s, if it holds no other cluster\n", b)
		return err
	}
	return nil
}
