// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// YesVar adds -y/--yes.
func YesVar(flags *pflag.FlagSet, p *bool) {
	flags.BoolVarP(p, "yes", "y", false, "don't ask")
}

// DryRunVar adds --dry-run.
func DryRunVar(flags *pflag.FlagSet, p *bool) {
	flags.BoolVar(p, "dry-run", false, "show what would be done, change nothing")
}

// Confirm asks before something that can't be undone, unless yes is set. It returns an error if the answer is no,
// and if nobody can be asked.
func (f *Factory) Confirm(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	resume := f.View().Pause()
	defer resume()
	ok, err := ui.Confirm(ctx, f.Streams, question)
	switch {
	case errors.Is(err, ui.ErrNoTerminal):
		return fault.WithHint(fault.WithCode(fault.Refused, err), "give --yes to go on without a question")
	case err != nil:
		return err
	case !ok:
		return fault.Refusedf("not confirmed, nothing was changed")
	}
	return nil
}
