// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// flagError makes a usage error of what the flag parser found, and names the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if early := cmd.Flags().Args(); cmd.HasSubCommands() && len(early) > 0 { // The flag may be right; the command isn't.
		if err := cmd.ValidateArgs(early); err != nil {
			return err
		}
	}
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
			err = fault.WithHint(err, "did you mean --%s?", near)
		}
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), wrongValue(invalid))
	}
	return cmdutil.WrongUsage(cmd, err)
}

// wrongValue is what the flag says of its value. Of a number that is out of range the parser says that it is none.
func wrongValue(invalid *pflag.InvalidValueError) error {
	if _, err := strconv.ParseInt(invalid.GetValue(), 0, 64); errors.Is(err, strconv.ErrRange) {
		return errors.New("is out of range")
	}
	return errors.Unwrap(invalid)
}

// nearestFlag finds the flag that looks most like name, "" if none looks like it.
func nearestFlag(cmd *cobra.Command, name string) string {
	best, least := "", len(name)/2+1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := distance(name, f.Name); d < least && !f.Hidden {
			best, least = f.Name, d
		}
	})
	return best
}

// distance is the Levenshtein distance: how many letters must be changed, added or removed to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
