// SPDX-License-Identifier: Apache-2.0

// Package initialize holds the command that makes a cluster a management cluster.
package initialize

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/flow"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// DefaultTimeout is the time that init has for everything.
const DefaultTimeout = 15 * time.Minute

type options struct {
	choice    flow.ProviderChoice
	namespace string
	kube      cmdutil.KubeFlags
	set       []string
	timeout   time.Duration
	dryRun    bool
	hold      bool
	certs     provider.WebhookCerts
	output    ui.Format
}

// NewCommand makes `clusterctl init`.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Install providers into a cluster and wait until they serve",
		Long: `Install Cluster API providers into a cluster, which becomes a management cluster, and wait until
their controllers are available and every webhook answers. Everything is read and checked before the first write.

Run again it changes nothing, and makes sure that all of it works. A provider that is installed with another
version is refused.`,
		Example: `  # core, kubeadm bootstrap and control plane, and Docker
  clusterctl init --infrastructure docker

  # pinned versions, into another cluster
  clusterctl init --core cluster-api:v1.14.2 --infrastructure docker:v1.14.2 --kubeconfig mgmt.kubeconfig

  # the target of a move whose controllers must not run next to the source's
  clusterctl init --infrastructure docker --hold --kubeconfig target.kubeconfig

  # nothing but a core provider
  clusterctl init --bootstrap - --control-plane -`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), f, cmd, o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.choice.Core, "core", "", "core provider, NAME or NAME:VERSION (default cluster-api)")
	fl.StringSliceVarP(&o.choice.Bootstrap, "bootstrap", "b", nil, "bootstrap providers, - for none (default kubeadm)")
	fl.StringSliceVarP(&o.choice.ControlPlane, "control-plane", "c", nil, "control plane providers, - for none (default kubeadm)")
	fl.StringSliceVarP(&o.choice.Infrastructure, "infrastructure", "i", nil, "infrastructure providers")
	fl.StringSliceVar(&o.choice.IPAM, "ipam", nil, "IPAM providers")
	fl.StringSliceVar(&o.choice.RuntimeExtensions, "runtime-extension", nil, "runtime extension providers")
	fl.StringSliceVar(&o.choice.Addons, "addon", nil, "addon providers")
	fl.StringVarP(&o.namespace, "target-namespace", "n", "", "namespace to put them in (default: each provider's own)")
	fl.StringArrayVar(&o.set, "set", nil, "value of a variable, NAME=VALUE (repeatable; others see it in the process list: give secrets by the environment)")
	fl.BoolVar(&o.hold, "hold", false, "leave the controllers at 0: \"clusterctl move\" starts them once those that the clusters come from are down")
	cmdutil.WebhookCertsVar(cmd, &o.certs)
	o.kube.AddFlags(cmd, f)
	cmdutil.TimeoutVar(fl, &o.timeout, DefaultTimeout)
	cmdutil.DryRunVar(fl, &o.dryRun)
	cmdutil.OutputVar(cmd, f, &o.output)
	return cmd
}

func run(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *options) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	values, err := cmdutil.ParseSet(o.set)
	if err != nil {
		return err
	}
	host, err := f.FlowHost(ctx, cmd, true)
	if err != nil {
		return err
	}
	res, err := flow.Init(ctx, flow.InitOptions{
		Providers: o.choice, TargetNamespace: o.namespace, Set: values,
		Kubeconfig: o.kube.Kubeconfig, Context: o.kube.Context, DryRun: o.dryRun, Hold: o.hold, WebhookCerts: o.certs,
	}, host)
	if err != nil {
		return err
	}
	if o.dryRun {
		event.Notef(host.Sink, "dry run: nothing was changed")
	}
	return ui.Print(f.Streams, o.output, listing(res))
}

func listing(res []flow.InitProvider) ui.Listing[flow.InitProvider] {
	type col = ui.Column[flow.InitProvider]
	return ui.Listing[flow.InitProvider]{
		Kind: "InstalledProvider", Items: res, Empty: "No providers were asked for.",
		Name: func(p flow.InitProvider) string { return p.Label },
		Columns: []col{
			{Name: "PROVIDER", Value: func(p flow.InitProvider) string { return p.Label }},
			{Name: "VERSION", Value: func(p flow.InitProvider) string { return p.Version }},
			{Name: "NAMESPACE", Value: func(p flow.InitProvider) string { return p.Namespace }},
			{Name: "OBJECTS", Value: func(p flow.InitProvider) string { return fmt.Sprint(p.Objects) }},
		},
	}
}
