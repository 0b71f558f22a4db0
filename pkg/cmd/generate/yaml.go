// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

type yamlOptions struct {
	from []string
	rendering
}

func newCmdYAML(f *cmdutil.Factory) *cobra.Command {
	o := &yamlOptions{}
	cmd := &cobra.Command{
		Use:   "yaml",
		Short: "Fill in the variables of a YAML file",
		Long: `Fill in the ${VARIABLES} of YAML files and print the result. Values come from --set, the environment
and the configuration file, in this order. Only ${…} is a variable; $${…} stays as ${…}.`,
		Example: `  clusterctl generate yaml --from template.yaml > cluster.yaml
  clusterctl generate yaml --from https://example.com/template.yaml --list-variables
  cat template.yaml | clusterctl generate yaml`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runYAML(cmd.Context(), f, o)
		},
	}
	cmd.Flags().StringArrayVar(&o.from, "from", []string{"-"}, "file, folder or URL to read, - for standard input (repeatable)")
	o.addFlags(cmd, f)
	return cmd
}

func runYAML(ctx context.Context, f *cmdutil.Factory, o *yamlOptions) error {
	srcs, err := manifest.ReadFiles(ctx, o.from, manifest.ReadOptions{Stdin: f.Streams.In})
	if err != nil {
		return err
	}
	return o.run(ctx, f, srcs, nil)
}
