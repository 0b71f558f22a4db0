// SPDX-License-Identifier: Apache-2.0

package create

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/flow"
)

type bootstrapOptions struct {
	name    string
	boot    flow.BootstrapOptions
	timeout time.Duration
}

func newCmdBootstrap(f *cmdutil.Factory) *cobra.Command {
	o := &bootstrapOptions{}
	cmd := &cobra.Command{
		Use:   "bootstrap [NAME]",
		Short: "Make a bootstrap cluster on this host, or bring it back",
		Long: `Make a bootstrap cluster. A local one is etcd, kube-apiserver and kube-controller-manager as processes of this host;
a kind one is containers of Docker, Podman or nerdctl.
One that is there is brought back if it was stopped, and left alone if it runs. Install providers into it with init.`,
		Example: `  # make it, and install providers into it
  clusterctl create bootstrap lab
  clusterctl init --infrastructure docker --kubeconfig "$(clusterctl get bootstraps lab -o json | jq -r .items[0].kubeconfig)"

  # a kind cluster that the Docker provider can work in, with images of your own
  clusterctl create bootstrap dev --type kind --mount-engine-socket --load-images example.com/manager:dev

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
	fl := cmd.Flags()
	cmdutil.EnumVar(cmd, &o.boot.Type, "type", "", "", []bootstrap.Type{bootstrap.Kind, bootstrap.Local}, "type (default: that of the one that is there, else local)")
	cmdutil.KindVars(fl, &o.boot.Kind)
	fl.BoolVar(&o.boot.Kind.MountEngineSocket, "mount-engine-socket", false, "put the engine's socket into the nodes of a kind cluster, for the Docker infrastructure provider")
	fl.StringVar(&o.boot.AssetsDir, "local-assets", f.Getenv("KUBEBUILDER_ASSETS"), "folder with etcd, kube-apiserver and kube-controller-manager (env KUBEBUILDER_ASSETS; default: cache, then download)")
	fl.Lookup("local-assets").DefValue = ""
	fl.StringVar(&o.boot.KubernetesVersion, "kubernetes-version", local.DefaultKubernetesVersion, "Kubernetes version of a local control plane; that of a kind cluster is its image's")
	cmdutil.TimeoutVar(fl, &o.timeout, 10*time.Minute)
	return cmd
}

func runBootstrap(ctx context.Context, f *cmdutil.Factory, cmd *cobra.Command, o *bootstrapOptions) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	host, err := f.FlowHost(ctx, cmd, false)
	if err != nil {
		return err
	}
	b, err := flow.OpenBootstrap(o.name, o.boot, host)
	if err != nil {
		return err
	}
	if b.Type() != bootstrap.Kind && (o.boot.Kind.Config != "" || o.boot.Kind.Image != "" || len(o.boot.Kind.LoadImages) > 0 || o.boot.Kind.MountEngineSocket) {
		return fault.WithHint(fault.Usagef("bootstrap cluster %q is of type %s: the flags for kind don't fit", o.name, b.Type()), "choose another name, or say --type kind")
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
