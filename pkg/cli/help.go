// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// maxHelpWidth keeps lines readable on very wide terminals.
const maxHelpWidth = 120

// setHelp makes all commands show our help: usage, examples, commands by group, flags, help topics.
func setHelp(root *cobra.Command, f *cmdutil.Factory) {
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(cmd.OutOrStdout(), usageText(cmd, f))
		return err
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		// a failed write is remembered by standard output itself, see checkedWriter
		_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd, f))
	})
	root.SetHelpCommand(newHelpCommand())
}

func helpText(cmd *cobra.Command, f *cmdutil.Factory) string {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	text = strings.TrimSpace(text) + "\n"
	if cmd.IsAdditionalHelpTopicCommand() {
		return text
	}
	return text + "\n" + usageText(cmd, f)
}

func usageText(cmd *cobra.Command, f *cmdutil.Factory) string {
	var b strings.Builder
	section := func(title, body string) {
		if body = strings.TrimRight(body, " \n"); body == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n%s\n", title, body)
	}
	section("Usage:", "  "+cmdutil.UsageLine(cmd))
	section("Aliases:", aliases(cmd))
	section("Examples:", strings.ReplaceAll(cmd.Example, "  clusterctl ", "  "+f.Program+" "))
	for _, g := range cmd.Groups() {
		section(g.Title, commands(cmd, func(c *cobra.Command) bool { return c.GroupID == g.ID && shown(c) }))
	}
	section("Commands:", commands(cmd, func(c *cobra.Command) bool { return c.GroupID == "" && shown(c) }))
	columns := helpColumns(f.Streams)
	section("Flags:", flagUsages(cmd.LocalFlags(), columns))
	section("Global flags:", flagUsages(cmd.InheritedFlags(), columns))
	section("Help topics:", commands(cmd, (*cobra.Command).IsAdditionalHelpTopicCommand))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nSee \"%s COMMAND --help\" for more about a command.\n", cmd.CommandPath())
	}
	return b.String()
}

func aliases(cmd *cobra.Command) string {
	if len(cmd.Aliases) == 0 {
		return ""
	}
	return "  " + cmd.NameAndAliases()
}

func shown(cmd *cobra.Command) bool {
	return cmd.IsAvailableCommand() || cmd.Name() == "help"
}

func commands(cmd *cobra.Command, want func(*cobra.Command) bool) string {
	var b strings.Builder
	for _, c := range cmd.Commands() {
		if want(c) {
			fmt.Fprintf(&b, "  %-*s  %s\n", cmd.NamePadding(), c.Name(), c.Short)
		}
	}
	return b.String()
}

// flagUsages leaves out that a switch may be given as --switch=true: everybody writes --switch.
func flagUsages(flags *pflag.FlagSet, columns int) string {
	const bools = "[=true|false]"
	return strings.ReplaceAll(flags.FlagUsagesWrapped(columns), bools, strings.Repeat(" ", len(bools)))
}

// helpColumns is 0, for lines as long as they are, where help doesn't go to a terminal.
func helpColumns(s ui.Streams) int {
	if !s.OutTTY {
		return 0
	}
	return min(s.Columns(), maxHelpWidth)
}

// newHelpCommand is "help [COMMAND]"; what isn't known is an error, unlike in cobra's own.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show help for a command or a topic",
		Long:    "Show help for a command, as --help does, or for one of the topics that \"clusterctl --help\" lists.",
		Example: "  clusterctl help version\n  clusterctl help exit-codes",
		GroupID: groupOther,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if found, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range found.Commands() {
					if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
						names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fault.WithCode(fault.Usage, fault.WithHint(
					fmt.Errorf("no help for %q: no such command or topic", strings.Join(args, " ")),
					"see %q for what there is", cmd.Root().CommandPath()+" --help"))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
