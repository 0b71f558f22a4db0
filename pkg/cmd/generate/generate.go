// SPDX-License-Identifier: Apache-2.0

// Package generate holds the commands that render YAML and apply nothing.
package generate

import (
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
)

// NewCommand makes `clusterctl generate`.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.NewGroup(&cobra.Command{
		Use:   "generate",
		Short: "Render YAML: providers, cluster templates, any file with variables",
		Long:  "Render YAML to standard output. Nothing is applied; what is wrong is said before anything is printed.",
		Example: `  clusterctl generate provider --infrastructure docker:v1.14.2
  clusterctl generate cluster demo --infrastructure docker --flavor in-memory
  clusterctl generate yaml --from template.yaml --list-variables`,
	}, newCmdYAML(f), newCmdProvider(f), newCmdCluster(f))
}
