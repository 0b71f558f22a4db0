// SPDX-License-Identifier: Apache-2.0

// Package get holds the commands that show what is there.
package get

import (
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
)

// NewCommand makes `clusterctl get`.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.NewGroup(&cobra.Command{
		Use:   "get",
		Short: "Show kubeconfigs, clusters and bootstrap clusters",
		Long:  "Show what is there: the kubeconfig of a cluster, clusters, the bootstrap clusters on this host. Nothing is changed.",
		Example: `  clusterctl get kubeconfig demo
  clusterctl get clusters -A
  clusterctl get bootstraps`,
	}, newKubeconfig(f), newClusters(f), newBootstraps(f))
}
