// SPDX-License-Identifier: Apache-2.0

// Package delete holds the commands that take something away.
package delete

import (
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
)

// NewCommand makes `clusterctl delete`.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.NewGroup(&cobra.Command{
		Use:   "delete",
		Short: "Delete a cluster, or a bootstrap cluster",
		Long: `Delete one cluster with everything that was made for it, or a bootstrap cluster.
Neither ever takes away something that others still need.`,
		Example: `  clusterctl delete cluster demo
  clusterctl delete bootstrap lab`,
	}, newCmdCluster(f), newCmdBootstrap(f))
}
