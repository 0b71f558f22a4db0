// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func tree() *cobra.Command {
	run := func(*cobra.Command, []string) error { return nil }
	noun := NewGroup(
		&cobra.Command{Use: "noun"},
		&cobra.Command{Use: "none", Args: NoArgs, RunE: run},
		&cobra.Command{Use: "one NAME", Args: ExactArgs("NAME"), RunE: run},
		&cobra.Command{Use: "two A B", Args: ExactArgs("A", "B"), RunE: run},
		&cobra.Command{Use: "maybe [NAME]", Args: OptionalArgs("NAME"), RunE: run},
	)
	root := NewGroup(&cobra.Command{Use: "prog", SilenceErrors: true, SilenceUsage: true}, noun)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root
}

func TestArguments(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		args []string
		err  string
		line string
		hint string
	}{
		{"none", []string{"noun", "none"}, "", "", ""},
		{"none, got one", []string{"noun", "none", "x"}, `prog noun none takes no arguments, got "x"`, "prog noun none [flags]", `see "prog noun none --help"`},
		{"one", []string{"noun", "one", "x"}, "", "", ""},
		{"one, got none", []string{"noun", "one"}, "prog noun one needs one NAME, got none", "prog noun one NAME [flags]", `see "prog noun one --help"`},
		{"one, got two", []string{"noun", "one", "x", "y z"}, `prog noun one takes one NAME, got 2: "x" "y z"`, "prog noun one NAME [flags]", `see "prog noun one --help"`},
		{"one, got nothing in it", []string{"noun", "one", " "}, "NAME is empty", "prog noun one NAME [flags]", `see "prog noun one --help"`},
		{"two, got one", []string{"noun", "two", "x"}, `prog noun two needs 2 arguments (A B), got 1: "x"`, "prog noun two A B [flags]", `see "prog noun two --help"`},
		{"maybe, got none", []string{"noun", "maybe"}, "", "", ""},
		{"maybe, got two", []string{"noun", "maybe", "x", "y"}, `prog noun maybe takes one NAME, got 2: "x" "y"`, "prog noun maybe [NAME] [flags]", `see "prog noun maybe --help"`},
		{"group alone", []string{"noun"}, "", "", ""},
		{"near", []string{"noun", "mabye"}, `unknown command "mabye" for "prog noun"`, "prog noun COMMAND [flags]", "did you mean maybe?"},
		{"far", []string{"xyzzy"}, `unknown command "xyzzy" for "prog"`, "prog COMMAND [flags]", `see "prog --help"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := tree()
			root.SetArgs(c.args)
			err := root.Execute()
			if c.err == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var usage *UsageError
			if !errors.As(err, &usage) || fault.CodeOf(err) != fault.Usage {
				t.Fatalf("not a usage error: %v", err)
			}
			got := []any{err.Error(), usage.Line, fault.Hints(err)}
			if diff := cmp.Diff([]any{c.err, c.line, []string{c.hint}}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrongUsageIsNotWrappedTwice(t *testing.T) {
	t.Parallel()
	cmd := &cobra.Command{Use: "x"}
	err := WrongUsagef(cmd, "a")
	if again := WrongUsage(cmd, err); again != err { //nolint:errorlint // the very same one
		t.Errorf("wrapped again: %v", again)
	}
	if WrongUsage(cmd, nil) != nil {
		t.Error("no error became one")
	}
}
