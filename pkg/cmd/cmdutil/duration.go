// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// duration is a flag for a length of time; a number without a unit is refused, because nobody knows what it means.
type duration time.Duration

// DurationVar adds a flag for a length of time that is not negative.
func DurationVar(flags *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	flags.Var((*duration)(p), name, usage)
}

// Set takes 30s, 10m, 1h30m.
func (d *duration) Set(s string) error {
	if _, err := strconv.ParseFloat(s, 64); err == nil && s != "0" {
		return fmt.Errorf("needs a unit: %ss, %sm or %sh", s, s, s)
	}
	v, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return fmt.Errorf("must be a length of time such as 30s, 10m or 1h30m")
	case v < 0:
		return fmt.Errorf("must not be negative")
	}
	*d = duration(v)
	return nil
}

func (d *duration) String() string { return shortDuration(time.Duration(*d)) }

// Type is the word that stands for the value in the help.
func (d *duration) Type() string { return "duration" }

// shortDuration is 20m and not 20m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if d >= time.Minute && d%time.Minute == 0 {
		s = s[:len(s)-len("0s")]
	}
	if d >= time.Hour && d%time.Hour == 0 {
		s = s[:len(s)-len("0m")]
	}
	return s
}

// TimeoutVar adds --timeout, the one deadline for all that a command does.
func TimeoutVar(flags *pflag.FlagSet, p *time.Duration, value time.Duration) {
	DurationVar(flags, p, "timeout", value, "time for all of it, 0 for no limit; what exists then is kept, and the same command goes on")
}

// WithTimeout gives the context its deadline; 0 means none.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, &fault.Error{
		Code: fault.Timeout, Err: &overdue{d}, Fallback: true,
		Hint: "run the same command again to go on, or give it more time with --timeout",
	})
}

// overdue is context.DeadlineExceeded in words that say when the deadline was.
type overdue struct{ after time.Duration }

func (o *overdue) Error() string { return "not finished after " + shortDuration(o.after) }

func (o *overdue) Unwrap() error { return context.DeadlineExceeded }
