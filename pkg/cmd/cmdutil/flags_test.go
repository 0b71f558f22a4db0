// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// parse runs a command with flags that add adds and gives the error of the parser.
func parse(add func(*cobra.Command), args ...string) error {
	cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
	add(cmd)
	cmd.SetArgs(args)
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	return cmd.Execute()
}

func TestEnumFlag(t *testing.T) {
	t.Parallel()
	type word string
	cases := []struct {
		name, arg string
		want      word
		err       string
	}{
		{"default", "", "a", ""},
		{"allowed", "--w=c", "c", ""},
		{"not allowed", "--w=d", "a", "must be a, b or c"},
		{"empty", "--w=", "a", "must be a, b or c"},
		{"case matters", "--w=C", "a", "must be a, b or c"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got word
			var args []string
			if c.arg != "" {
				args = []string{c.arg}
			}
			err := parse(func(cmd *cobra.Command) { EnumVar(cmd, &got, "w", "", "a", []word{"a", "b", "c"}, "which") }, args...)
			if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestEnumFlagExplainsAndCompletesItself(t *testing.T) {
	t.Parallel()
	var got string
	cmd := &cobra.Command{Use: "x"}
	EnumVar(cmd, &got, "w", "z", "b", []string{"a", "b"}, "which")
	if u := cmd.Flags().FlagUsages(); !strings.Contains(u, "-z, --w string") || !strings.Contains(u, `which: a or b (default "b")`) {
		t.Error(u)
	}
	complete, ok := cmd.GetFlagCompletionFunc("w")
	if !ok {
		t.Fatal("no completion")
	}
	if words, directive := complete(cmd, nil, ""); len(words) != 2 || directive != cobra.ShellCompDirectiveNoFileComp {
		t.Errorf("completes to %v, %v", words, directive)
	}
}

func TestDurationFlag(t *testing.T) {
	t.Parallel()
	cases := []struct {
		arg  string
		want time.Duration
		err  string
	}{
		{"30s", 30 * time.Second, ""},
		{"1h30m", 90 * time.Minute, ""},
		{"0", 0, ""},
		{"30", 0, "needs a unit: 30s, 30m or 30h"},
		{"1.5", 0, "needs a unit"},
		{"-1m", 0, "must not be negative"},
		{"soon", 0, "must be a length of time"},
		{"", 0, "must be a length of time"},
		{"9999999999h", 0, "must be a length of time"},
	}
	for _, c := range cases {
		t.Run(c.arg, func(t *testing.T) {
			t.Parallel()
			var got time.Duration
			err := parse(func(cmd *cobra.Command) { DurationVar(cmd.Flags(), &got, "t", time.Hour, "time") }, "--t="+c.arg)
			switch {
			case c.err == "" && (err != nil || got != c.want):
				t.Errorf("got %v, %v", got, err)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("got %v, want an error with %q", err, c.err)
			}
		})
	}
}

func TestShortDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", 20 * time.Minute: "20m", time.Hour: "1h", 90 * time.Minute: "1h30m",
		time.Hour + time.Second: "1h0m1s", 10 * time.Hour: "10h", 100 * time.Minute: "1h40m",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
		if parsed, err := time.ParseDuration(shortDuration(d)); err != nil || parsed != d {
			t.Errorf("%v is written as %q, which is read as %v, %v", d, shortDuration(d), parsed, err)
		}
	}
}

func TestWithTimeout(t *testing.T) {
	t.Parallel()
	ctx, cancel := WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	cause := context.Cause(ctx)
	if fault.CodeOf(cause) != fault.Timeout || !errors.Is(cause, context.DeadlineExceeded) || len(fault.Hints(cause)) != 1 {
		t.Errorf("cause %v", cause)
	}
	ctx, cancel = WithTimeout(t.Context(), 0)
	if _, limited := ctx.Deadline(); limited {
		t.Error("0 is a deadline")
	}
	cancel()
	if ctx.Err() == nil {
		t.Error("cancel does nothing")
	}
}

func TestOutputFlagTellsEverybody(t *testing.T) {
	t.Parallel()
	f := &Factory{Global: &Global{}}
	var got ui.Format
	if err := parse(func(cmd *cobra.Command) { OutputVar(cmd, f, &got) }, "-o", "json"); err != nil {
		t.Fatal(err)
	}
	if got != ui.JSON || f.Global.Output != ui.JSON {
		t.Errorf("got %q and %q", got, f.Global.Output)
	}
	if err := parse(func(cmd *cobra.Command) { OutputVar(cmd, f, &got, ui.Table, ui.Wide) }, "-o", "yaml"); err == nil {
		t.Error("takes a format that it doesn't have")
	}
}
