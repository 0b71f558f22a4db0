// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/cmd/docs"
)

func testRoot() *cobra.Command {
	r, _ := testRun(io.Discard)
	return newRoot(r.factory, r.prepare)
}

// every calls visit for each command of the program.
func every(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		every(c, visit)
	}
}

func TestCommandsAreComplete(t *testing.T) {
	t.Parallel()
	every(testRoot(), func(c *cobra.Command) {
		name := c.CommandPath()
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || c.Short[0] < 'A' || c.Short[0] > 'Z' {
			t.Errorf("%s: Short %q: a few words with a capital and no full stop", name, c.Short)
		}
		if c.IsAdditionalHelpTopicCommand() || c.Hidden {
			return
		}
		if c.Long == "" && !c.HasSubCommands() {
			t.Errorf("%s has no Long", name)
		}
		if !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s has no Example", name)
		}
		if !c.HasSubCommands() && c.Args == nil && c.Name() != "help" {
			t.Errorf("%s doesn't check its arguments: Args", name)
		}
		if c.HasParent() && (c.PersistentPreRunE != nil || c.PersistentPreRun != nil) {
			t.Errorf("%s has a PersistentPreRun, so that the root's doesn't run", name)
		}
		if c.Run != nil {
			t.Errorf("%s has Run: commands return errors, RunE", name)
		}
		if !c.HasParent() || c.Parent().HasParent() || c.GroupID != "" {
			return
		}
		t.Errorf("%s is in no group", name)
	})
}

func TestFlagsAreComplete(t *testing.T) {
	t.Parallel()
	every(testRoot(), func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			at := c.CommandPath() + " --" + f.Name
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("%s: usage %q: a few words without a full stop", at, f.Usage)
			}
			if strings.Contains(f.Usage, "(default") && f.DefValue == "" && f.Value.Type() == "int" {
				t.Errorf("%s shows an empty default", at)
			}
		})
	})
}

// A new flag or command needs "make docs".
func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	root := testRoot()
	root.InitDefaultHelpCmd()
	fresh := t.TempDir()
	if err := docs.Generate(root, fresh); err != nil {
		t.Fatal(err)
	}
	committed := filepath.Join("..", "..", "docs", "reference")
	if diff := cmp.Diff(markdown(t, committed), markdown(t, fresh)); diff != "" {
		t.Errorf("docs/reference is not what the commands say; run: make docs\n%s", diff)
	}
	for name, text := range markdown(t, fresh) {
		if home, err := os.UserHomeDir(); err == nil && strings.Contains(text, home) {
			t.Errorf("%s has the home directory of whoever wrote it", name)
		}
	}
}

func markdown(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(text)
	}
	return out
}

func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "exit-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range exitCodes() {
		if row := "| " + strconv.Itoa(int(c.code)) + " | " + c.name + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/exit-codes.md has no row %q", row)
		}
	}
}

func TestProgramName(t *testing.T) {
	t.Parallel()
	for argv0, want := range map[string]string{
		"clusterctl": "clusterctl", "/usr/bin/clusterctl": "clusterctl", "/tmp/cctl-v2": "clusterctl", "": "clusterctl",
		"/x/kubectl-clusterctl": "kubectl clusterctl", "kubectl-my_capi.exe": "kubectl my-capi", "kubectl-": "clusterctl",
	} {
		if got := programName(argv0); got != want {
			t.Errorf("%q: %q, want %q", argv0, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"output", "outptu", 2}, {"same", "same", 0}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
