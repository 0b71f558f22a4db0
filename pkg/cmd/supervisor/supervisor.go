// SPDX-License-Identifier: Apache-2.0

// Package supervisor holds the hidden command that a local bootstrap cluster is kept running by.
package supervisor

import (
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
)

// NewCommand makes `clusterctl bootstrap-supervisor DIR`. People don't call it: creating a bootstrap cluster does.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     cmdutil.SupervisorCommand + " DIR",
		Short:   "Keep a local bootstrap cluster running",
		Long:    "Keep a local bootstrap cluster running. Started by \"create cluster\" and \"create bootstrap\", in the background.",
		Example: "  clusterctl create bootstrap lab   # starts it",
		Hidden:  true,
		Args:    cmdutil.ExactArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return local.Supervise(cmd.Context(), args[0], f.Environ()...)
		},
	}
}
