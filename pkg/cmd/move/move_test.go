// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// TestScopeOfFlags says what names and flags move.
func TestScopeOfFlags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    options
		want plan.Scope
	}{
		"nothing named is everything": {options{}, plan.Scope{All: true}},
		"all namespaces":              {options{all: true, exclude: []string{"Secret"}}, plan.Scope{All: true, Exclude: []string{"Secret"}}},
		"a namespace":                 {options{source: cmdutil.KubeFlags{Namespace: "team-a"}}, plan.Scope{Namespaces: []string{"team-a"}}},
		"names, one with a namespace": {options{clusters: []string{"heron", "team-b/egret", "heron"}}, plan.Scope{Clusters: []types.NamespacedName{{Namespace: "ctx", Name: "heron"}, {Namespace: "team-b", Name: "egret"}}}},
		"the move under way":          {options{resume: true}, plan.Scope{}},
		"the move to undo":            {options{rollback: true}, plan.Scope{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, c.o.scope("ctx")); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestWrongFlags: every wrong combination is named, all at once, before a kubeconfig is even read.
func TestWrongFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"":                                   {"where to?"},
		"heron":                              {"where to?"},
		"-A -n team-a --to-kubeconfig k":     {"--all-namespaces and --namespace"},
		"-A heron --to-kubeconfig k":         {"--all-namespaces and names"},
		"a/b/c team-b/ /x --to-kubeconfig k": {`"a/b/c" isn't`, `"team-b/" isn't`, `"/x" isn't`},
		"--to-kubeconfig k --to-directory d": {"--to-directory and --to-kubeconfig"},
		"--to-kubeconfig-context c --to-directory d":                  {"--to-directory and --to-kubeconfig"},
		"--to-directory d --from-directory e":                         {"--to-directory and --from-directory", "--from-directory needs"},
		"--from-directory d":                                          {"--from-directory needs"},
		"--from-directory d --to-kubeconfig k --kubeconfig s":         {"has no source cluster"},
		"--from-directory d --to-kubeconfig k heron --include Secret": {"takes everything in the folder: no names", "--include has nothing to add"},
		"--from-directory d --to-kubeconfig k --resume":               {"goes on without --resume"},
		"--to-directory d --rollback":                                 {"a backup changes nothing"},
		"--to-kubeconfig k --resume --rollback":                       {"--resume and --rollback exclude"},
		"--to-kubeconfig k --resume heron":                            {"name nothing"},
		"--to-kubeconfig k --rollback -n a":                           {"name nothing"},
		"--to-kubeconfig k --rollback --exclude Secret":               {"name nothing"},
		"--to-kubeconfig k --resume --dry-run":                        {"--dry-run doesn't go"},
		"--resume":                                                    {"where to?"},
		"--to-kubeconfig k --encrypt-to age1x":                        {"--encrypt-to goes with"},
		"--to-kubeconfig k --identity f":                              {"--identity goes with"},
		"--to-directory d --quiesce pause":                            {"--quiesce is for"},
		"--to-directory d --allow-provisioning":                       {"--allow-provisioning is for"},
		"--to-kubeconfig= --namespace=":                               {"--to-kubeconfig is empty", "--namespace is empty", "where to?"},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			out, _, err := call(t, strings.Fields(args)...)
			if fault.CodeOf(err) != fault.Usage || out != "" {
				t.Fatalf("got %v (%d), output %q", err, fault.CodeOf(err), out)
			}
			for _, w := range want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is missing in: %v", w, err)
				}
			}
			if n := strings.Count(err.Error(), "\n  - "); n > 0 && n != len(want) || n == 0 && len(want) != 1 {
				t.Errorf("%d faults, want %d: %v", n, len(want), err)
			}
		})
	}
}

// TestRightFlags get as far as the kubeconfig, which isn't there.
func TestRightFlags(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"--to-kubeconfig /nowhere/k", "heron team-b/egret -n team-a --to-kubeconfig /nowhere/k", "--to-kubeconfig-context c", "-n team-a --dry-run", "--dry-run heron",
		"--resume --to-kubeconfig /nowhere/k", "--rollback --to-kubeconfig /nowhere/k --yes", "--to-directory d -n team-a --include Secret/x", "--to-directory d --dry-run",
		"--from-directory d --to-kubeconfig /nowhere/k --exclude Secret --rollback", "-A --to-kubeconfig /nowhere/k --quiesce pause --allow-provisioning --allow-orphans a=b",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			_, _, err := call(t, append(strings.Fields(args), "-o", "json")...)
			if err == nil || !strings.Contains(err.Error(), "/nowhere/") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// call types `move ARGS` without any kubeconfig.
func call(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	env := map[string]string{"HOME": t.TempDir(), "KUBECONFIG": "/nowhere/default", "USER": "me"}
	return callWith(t, env, args...)
}

func callWith(t *testing.T, env map[string]string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	f := cmdutil.NewFactory(ui.Streams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}, func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	})
	cmd := NewCommand(f)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&errOut)
	err = cmd.ExecuteContext(t.Context())
	f.Close()
	f.View().Close()
	return out.String(), errOut.String(), err
}
