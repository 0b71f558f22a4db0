// SPDX-License-Identifier: Apache-2.0

// Package version is the command that says which build this is.
package version

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/ui"
	"github.com/clusterctl/clusterctl/pkg/version"
)

// short is the version alone.
const short ui.Format = "short"

type options struct {
	streams ui.Streams
	info    version.Info
	output  ui.Format
}

// NewCommand makes "version".
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	o := &options{streams: f.Streams}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show which build of clusterctl this is",
		Long: `Show the version, the commit, the toolchain and the platform of this build, and the versions
of the Cluster API contract that it works with. No cluster and no server is asked.`,
		Example: `  # for people
  clusterctl version

  # only the version
  clusterctl version -o short

  # for scripts
  clusterctl version -o json`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.info = f.Version()
			return run(cmd.Context(), o)
		},
	}
	cmdutil.OutputVar(cmd, f, &o.output, ui.Table, short, ui.JSON, ui.YAML)
	return cmd
}

func run(_ context.Context, o *options) error {
	switch o.output {
	case short:
		_, err := fmt.Fprintln(o.streams.Out, o.info.Version)
		return err
	case ui.JSON, ui.YAML:
		value, err := ui.Object("Version", o.info)
		if err != nil {
			return err
		}
		return ui.PrintValue(o.streams.Out, o.output, value)
	}
	return ui.Grid(o.streams.Out, nil, [][]string{
		{"Version:", o.info.Version},
		{"Commit:", o.info.Commit},
		{"Date:", o.info.Date},
		{"Go:", o.info.Go},
		{"Platform:", o.info.Platform},
		{"Cluster API contracts:", strings.Join(o.info.Contracts, ", ")},
	})
}
