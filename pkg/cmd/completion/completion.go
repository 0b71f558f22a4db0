// SPDX-License-Identifier: Apache-2.0

// Package completion is the command that prints shell completion scripts.
package completion

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
)

// shell is one shell that there is a script for.
type shell struct {
	name, install string
	write         func(root *cobra.Command, out io.Writer) error
}

func shells() []shell {
	return []shell{
		{"bash", bash, func(c *cobra.Command, w io.Writer) error { return c.GenBashCompletionV2(w, true) }},
		{"zsh", zsh, func(c *cobra.Command, w io.Writer) error { return c.GenZshCompletion(w) }},
		{"fish", fish, func(c *cobra.Command, w io.Writer) error { return c.GenFishCompletion(w, true) }},
		{"powershell", powershell, func(c *cobra.Command, w io.Writer) error { return c.GenPowerShellCompletionWithDesc(w) }},
	}
}

// NewCommand makes "completion".
func NewCommand(f *cmdutil.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion",
		Short: "Print the completion script of a shell",
		Long: `Print a script that makes a shell complete commands, flags and names: of clusters, contexts,
namespaces, providers. The help of each shell's command says how to install it.`,
	}
	var subs []*cobra.Command
	for _, s := range shells() {
		subs = append(subs, newShell(f, s))
	}
	return cmdutil.NewGroup(cmd, subs...)
}

func newShell(f *cmdutil.Factory, s shell) *cobra.Command {
	lines := strings.Split(s.install, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight("  "+lines[i], " ")
	}
	return &cobra.Command{
		Use:                   s.name,
		Short:                 "Print the completion script of " + s.name,
		Long:                  "Print the completion script of " + s.name + ". It asks clusters for names, for three seconds at most.",
		Example:               strings.Join(lines, "\n"),
		Args:                  cmdutil.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.write(cmd.Root(), f.Streams.Out); err != nil {
				return fmt.Errorf("write completion script: %w", err)
			}
			return nil
		},
	}
}
