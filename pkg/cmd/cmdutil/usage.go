// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// UsageError is a command that was called wrongly: a flag, an argument or the command itself. Its usage line is shown.
type UsageError struct {
	// Err says what is wrong.
	Err error
	// Line is the usage line of the command.
	Line string
}

// Error says what is wrong.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *UsageError) Unwrap() error { return e.Err }

// WrongUsage makes a UsageError for a command, with fault.Usage as its class; its hint is the one that err
// carries, else where the help is.
func WrongUsage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	var already *UsageError
	if errors.As(err, &already) {
		return err
	}
	e := &UsageError{Err: err, Line: UsageLine(cmd)}
	if len(fault.Hints(err)) > 0 {
		return fault.WithCode(fault.Usage, e)
	}
	return &fault.Error{Code: fault.Usage, Err: e, Hint: fmt.Sprintf("see %q", cmd.CommandPath()+" --help")}
}

// WrongUsagef is WrongUsage with a formatted text.
func WrongUsagef(cmd *cobra.Command, format string, args ...any) error {
	return WrongUsage(cmd, fmt.Errorf(format, args...))
}

// UsageLine is how a command is called, in one line.
func UsageLine(cmd *cobra.Command) string {
	if _, args, _ := strings.Cut(cmd.Use, " "); args != "" || !cmd.HasSubCommands() {
		return cmd.UseLine()
	}
	return cmd.CommandPath() + " COMMAND [flags]"
}
