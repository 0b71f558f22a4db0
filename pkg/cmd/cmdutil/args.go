// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// NoArgs takes no arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return WrongUsagef(cmd, "%s takes no arguments, got %s", cmd.CommandPath(), quoted(args))
}

// ExactArgs takes exactly the named arguments, for example ExactArgs("NAME").
func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return count(cmd, args, names, len(names), len(names))
	}
}

// OptionalArgs takes the named arguments or fewer.
func OptionalArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return count(cmd, args, names, 0, len(names))
	}
}

func count(cmd *cobra.Command, args, names []string, least, most int) error {
	switch {
	case len(args) > most:
		return WrongUsagef(cmd, "%s takes %s, got %d: %s", cmd.CommandPath(), listed(names), len(args), quoted(args))
	case len(args) < least:
		return WrongUsagef(cmd, "%s needs %s, got %s", cmd.CommandPath(), listed(names), got(args))
	}
	for i, arg := range args {
		if strings.TrimSpace(arg) == "" {
			return WrongUsagef(cmd, "%s is empty", names[i])
		}
	}
	return nil
}

// NewGroup makes a command that has only subcommands. Alone it shows its help; an unknown subcommand is an error.
func NewGroup(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subcommands...)
	cmd.Args = knownCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// knownCommand refuses what is no subcommand, and names what was probably meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	if cmd.SuggestionsMinimumDistance <= 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fault.WithHint(err, "did you mean %s?", orList(near))
	}
	return WrongUsage(cmd, err)
}

func listed(names []string) string {
	if len(names) == 1 {
		return "one " + names[0]
	}
	return fmt.Sprintf("%d arguments (%s)", len(names), strings.Join(names, " "))
}

func got(args []string) string {
	if len(args) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d: %s", len(args), quoted(args))
}

func quoted(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = fmt.Sprintf("%q", a)
	}
	return strings.Join(out, " ")
}
