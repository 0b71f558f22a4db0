// SPDX-License-Identifier: Apache-2.0

// Package create holds the commands that create something.
package create

import (
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
)

// NewCommand makes `clusterctl create`.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.NewGroup(&cobra.Command{
		Use:   "create",
		Short: "Create a cluster, or a bootstrap cluster",
	}, newCmdCluster(f), newCmdBootstrap(f))
}
