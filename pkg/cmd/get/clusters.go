// SPDX-License-Identifier: Apache-2.0

package get

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/ui"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

type clustersOptions struct {
	kube    cmdutil.KubeFlags
	all     bool
	output  ui.Format
	timeout time.Duration
}

func newClusters(f *cmdutil.Factory) *cobra.Command {
	o := &clustersOptions{}
	cmd := &cobra.Command{
		Use:     "clusters",
		Aliases: []string{"cluster"},
		Short:   "List the clusters of a management cluster",
		Long:    "List the clusters that a management cluster runs: whether they are available, their versions and machines.",
		Example: `  clusterctl get clusters -A
  clusterctl get clusters -n team-a -o wide --kubeconfig mgmt.kubeconfig`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runClusters(cmd.Context(), f, o)
		},
	}
	o.kube.AddFlags(cmd, f)
	o.kube.AddNamespace(cmd, f)
	cmd.Flags().BoolVarP(&o.all, "all-namespaces", "A", false, "clusters of all namespaces")
	cmdutil.TimeoutVar(cmd.Flags(), &o.timeout, time.Minute)
	cmdutil.OutputVar(cmd, f, &o.output)
	return cmd
}

func runClusters(ctx context.Context, f *cmdutil.Factory, o *clustersOptions) error {
	ctx, cancel := cmdutil.WithTimeout(ctx, o.timeout)
	defer cancel()
	c, cfg, err := f.Kube(ctx, o.kube)
	if errors.Is(err, kube.ErrNoConfig) {
		return withBootstraps(f, err)
	}
	if err != nil {
		return err
	}
	namespace := cfg.Namespace
	if o.all {
		namespace = ""
	}
	states, err := workload.List(ctx, c, namespace)
	if err != nil {
		return err
	}
	empty := fmt.Sprintf("No clusters in namespace %s.", namespace)
	if o.all {
		empty = "No clusters."
	}
	return ui.Print(f.Streams, o.output, clusterListing(states, empty, time.Now()))
}

// withBootstraps names the local bootstrap clusters that may have been meant.
func withBootstraps(f *cmdutil.Factory, err error) error {
	dirs, dirsErr := f.Dirs()
	if dirsErr != nil {
		return err
	}
	infos, listErr := local.List(dirs)
	if listErr != nil || len(infos) == 0 {
		return err
	}
	return fault.WithHint(err, "for those on the bootstrap cluster %q: --kubeconfig %s", infos[0].Name, infos[0].Kubeconfig)
}

func clusterListing(states []capi.ClusterState, empty string, now time.Time) ui.Listing[clusterView] {
	type col = ui.Column[clusterView]
	items := make([]clusterView, len(states))
	for i, s := range states {
		items[i] = viewCluster(s)
	}
	return ui.Listing[clusterView]{
		Kind: "Cluster", Items: items, Empty: empty,
		Name: func(s clusterView) string { return s.Namespace + "/" + s.Name },
		Columns: []col{
			{Name: "NAMESPACE", Value: func(s clusterView) string { return s.Namespace }},
			{Name: "NAME", Value: func(s clusterView) string { return s.Name }},
			{Name: "PHASE", Value: func(s clusterView) string { return s.Phase }},
			{Name: "AVAILABLE", Value: func(s clusterView) string { return fmt.Sprint(s.Available) }},
			{Name: "VERSION", Value: func(s clusterView) string { return s.Version }},
			{Name: "CLASS", Value: func(s clusterView) string { return s.Class }},
			{Name: "AGE", Value: func(s clusterView) string { return ageOf(s.Created, now) }},
			{Name: "ENDPOINT", Wide: true, Value: func(s clusterView) string { return s.Endpoint }},
			{Name: "PAUSED", Wide: true, Value: func(s clusterView) string { return fmt.Sprint(s.Paused) }},
		},
	}
}
