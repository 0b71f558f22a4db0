// SPDX-License-Identifier: Apache-2.0

package create

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/flow"
)

type bootstrapOptions struct {
	name              string
	assets            string
	kubernetesVersion string
	timeout           time.Duration
}

func newCmdBootstrap(f *cmdutil.Factory) *cobra.Command {
	o := &bootstrapOptions{}
	cmd := &cobra.Command{
		Use:   "bootstrap [NAME]",
		Short: "Make a local bootstrap cluster, or bring it back",
		Long: `Make a local bootstrap cluster: etcd, kube-apiserver and kube-controller-manager as processes of this host.
One that is there is brought back if it was stopped, and left alone if it runs. Install providers into it with init.`,
		Example: `  # make it, and install providers into it
  clusterctl create bootstrap lab
  clusterctl init --infrastructure docker --kubeconfig "$(clusterctl get bootstraps lab -o json | jq -r .items[0].kubeconfig)"

  # bring it back after a reboot
  clusterctl create bootstrap lab`,
		Args: cmdutil.OptionalArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = local.DefaultName
			if len(args) > 0 {
				o.name = args[0]
			}
			return runBootstrap(cmd.Context(), f, cmd, o)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&o.assets, "local-assets", f.Getenv("KUBEBUILDER_ASSETS"), "folder with etcd, kube-apiserver and kube-controller-manager (env KUBEBUILDER_ASSETS; default: cache, then download)")
	cmd.Flags().Lookup("local-assets").DefValue = ""
	cmd.Flags().StringVar(&o.kubernetesVersion, "kubernetes-version", local.DefaultKubernetesVersion, "Kubernetes version of the control plane")
	cmdutil.TimeoutVar(cmd.Flags(), &o.timeout, 10*time.Minute)
	return cmd
}

func runBootstrap(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *bootstrapOptions) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	host, err := f.FlowHost(ctx, cmd, false)
	if err != nil {
		return err
	}
	b, err := flow.OpenLocal(o.name, flow.BootstrapOptions{AssetsDir: o.assets, KubernetesVersion: o.kubernetesVersion}, host)
	if err != nil {
		return err
	}
	const step = flow.StepBootstrap
	event.Startf(host.Sink, step, "Make the bootstrap cluster %q, or bring it back", o.name)
	if err := b.Ensure(ctx, host.Sink); err != nil {
		event.Failf(host.Sink, step, "bootstrap cluster %q", o.name)
		return err
	}
	event.Donef(host.Sink, step, "bootstrap cluster %q runs", o.name)
	_, err = fmt.Fprintln(f.Streams.Out, b.Kubeconfig())
	return err
}
