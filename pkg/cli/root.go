// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/cmd/completion"
	"github.com/clusterctl/clusterctl/pkg/cmd/config"
	"github.com/clusterctl/clusterctl/pkg/cmd/create"
	"github.com/clusterctl/clusterctl/pkg/cmd/delete"
	"github.com/clusterctl/clusterctl/pkg/cmd/docs"
	"github.com/clusterctl/clusterctl/pkg/cmd/generate"
	"github.com/clusterctl/clusterctl/pkg/cmd/get"
	"github.com/clusterctl/clusterctl/pkg/cmd/initialize"
	"github.com/clusterctl/clusterctl/pkg/cmd/move"
	"github.com/clusterctl/clusterctl/pkg/cmd/phase"
	"github.com/clusterctl/clusterctl/pkg/cmd/supervisor"
	"github.com/clusterctl/clusterctl/pkg/cmd/version"
)

// The groups of commands in the help of the program.
const (
	groupClusters  = "clusters"
	groupProviders = "providers"
	groupOther     = "other"
)

// addCommands adds every command: one line each.
func addCommands(root *cobra.Command, f *cmdutil.Factory) {
	add := func(group string, c *cobra.Command) {
		c.GroupID = group
		root.AddCommand(c)
	}
	add(groupClusters, create.NewCommand(f))
	add(groupClusters, delete.NewCommand(f))
	add(groupClusters, move.NewCommand(f))
	add(groupClusters, phase.NewCommand(f))
	add(groupClusters, get.NewCommand(f))
	add(groupProviders, config.NewCommand(f))
	add(groupProviders, generate.NewCommand(f))
	add(groupProviders, initialize.NewCommand(f))
	add(groupOther, supervisor.NewCommand(f))
	add(groupOther, completion.NewCommand(f))
	add(groupOther, docs.NewCommand(f))
	add(groupOther, version.NewCommand(f))
}

const rootLong = `clusterctl takes you from nothing to a Kubernetes cluster that is run by Cluster API,
and back to nothing. Every command can be run again: it looks at what is there and does what is left.`

// newRoot makes the program's command. prepare runs before any command, when flags are known.
func newRoot(f *cmdutil.Factory, prepare func(*cobra.Command) error) *cobra.Command {
	root := &cobra.Command{
		Use:           "clusterctl",
		Short:         "Make and run Kubernetes clusters with Cluster API",
		Long:          rootLong,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: f.Program},
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return prepare(cmd)
		},
	}
	root.AddGroup(
		&cobra.Group{ID: groupClusters, Title: "Clusters:"},
		&cobra.Group{ID: groupProviders, Title: "Providers and templates:"},
		&cobra.Group{ID: groupOther, Title: "Other commands:"},
	)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	addGlobalFlags(root, f.Global)
	addCommands(root, f)
	addTopics(root)
	setHelp(root, f)
	return cmdutil.NewGroup(root)
}

// programName is how the program is called in texts: as a plugin, "kubectl-x_y" is "kubectl x-y".
func programName(argv0 string) string {
	name := strings.TrimSuffix(filepath.Base(argv0), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok && plugin != "" {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return "clusterctl"
}
