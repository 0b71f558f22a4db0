// SPDX-License-Identifier: Apache-2.0

// Package config holds the commands that show the configuration.
package config

import (
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/config"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// NewCommand makes `clusterctl config`.
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.NewGroup(&cobra.Command{
		Use:     "config",
		Short:   "Show the configuration: known providers, an example file",
		Long:    "Show what clusterctl knows from its configuration file and its built-in list.",
		Example: "  clusterctl config repositories\n  clusterctl config example > ~/.config/cluster-api/clusterctl.yaml",
	}, newCmdRepositories(f), newCmdExample(f))
}

func newCmdRepositories(f *cmdutil.Factory) *cobra.Command {
	var output ui.Format
	cmd := &cobra.Command{
		Use:   "repositories",
		Short: "List the known providers and where they come from",
		Long:  "List the known providers: the built-in ones and those of the configuration file, which win.",
		Example: `  clusterctl config repositories
  clusterctl config repositories -o wide   # with the place where each was defined`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := f.LoadConfig(cmd.Context(), provider.LoadOptions{})
			if err != nil {
				return err
			}
			type col = ui.Column[provider.Entry]
			return ui.Print(f.Streams, output, ui.Listing[provider.Entry]{
				Kind: "Repository", Items: cfg.Providers(), Empty: "No providers are known.",
				Name: provider.Entry.Label, // A name alone can mean several.
				Columns: []col{
					{Name: "NAME", Value: func(e provider.Entry) string { return e.Name }},
					{Name: "TYPE", Value: func(e provider.Entry) string { return string(e.Type) }},
					{Name: "URL", Value: func(e provider.Entry) string { return e.URL }},
					{Name: "SOURCE", Wide: true, Value: func(e provider.Entry) string { return e.Source }},
				},
			})
		},
	}
	cmdutil.OutputVar(cmd, f, &output)
	return cmd
}

func newCmdExample(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "example",
		Short:   "Print an example configuration file",
		Long:    "Print an example clusterctl.yaml in which every key is explained. It is all comments: as it is, it changes nothing.",
		Example: "  clusterctl config example > clusterctl.yaml",
		Args:    cmdutil.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := f.Streams.Out.Write(config.Example())
			return err
		},
	}
}
