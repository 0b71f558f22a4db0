// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/clusterctl/clusterctl/"

func itoa(n int) string { return strconv.Itoa(n) }

// floors are the storeys of the house, the highest first. A package imports floors below its own only; the
// packages of one floor don't know each other. docs/architecture.md shows the same.
func floors() [][]string {
	return [][]string{
		{"cmd/clusterctl"},
		{"pkg/cli"},
		{"pkg/cmd/phase"}, // the steps of create, with its flags
		{"pkg/cmd/completion", "pkg/cmd/config", "pkg/cmd/create", "pkg/cmd/delete", "pkg/cmd/docs", "pkg/cmd/generate", "pkg/cmd/get", "pkg/cmd/initialize", "pkg/cmd/move", "pkg/cmd/supervisor", "pkg/cmd/version"},
		{"pkg/cmd/cmdutil"},
		{"pkg/flow"},
		{"pkg/move"},
		{"pkg/move/plan"},
		{"pkg/workload"},
		{"pkg/kubeconfig"},
		{"pkg/bootstrap/existing", "pkg/bootstrap/kind", "pkg/bootstrap/local"},
		{"pkg/bootstrap", "pkg/provider"},
		{"pkg/provider/webhookcert"},
		{"pkg/capi"},
		{"pkg/kube"},
		{"pkg/manifest"},
		{"pkg/ui"},
		{"pkg/pki", "pkg/naming"},
		{"pkg/event", "pkg/fault", "pkg/paths", "pkg/atomicfile", "pkg/version", "config"},
	}
}

// onlyBelow are packages that may import less than their floor allows.
func onlyBelow() map[string][]string {
	return map[string][]string{
		"pkg/ui":    {"pkg/event", "pkg/fault"},
		"pkg/event": {}, "pkg/fault": {}, "pkg/paths": {}, "pkg/atomicfile": {}, "pkg/version": {}, "config": {},
	}
}

// floorOf finds the floor of a directory; a directory inside of a package's internal belongs to that package.
func floorOf(dir string) (name string, floor int, ok bool) {
	owner, _, _ := strings.Cut(dir, "/internal")
	for i, names := range floors() {
		for _, n := range names {
			if n == owner {
				return n, i, true
			}
		}
	}
	return owner, 0, false
}

func TestPackagesImportDownwardsOnly(t *testing.T) {
	limits := onlyBelow()
	for _, f := range files(t) {
		name, floor, ok := floorOf(f.dir())
		if !ok {
			t.Errorf("%s has no floor: give it one in test/house and docs/architecture.md", f.dir())
			continue
		}
		for _, imp := range f.ast.Imports {
			target, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, "`\""), module)
			if !ours {
				continue
			}
			below, targetFloor, known := floorOf(target)
			switch limit, limited := limits[name]; {
			case !known:
				t.Errorf("%s imports %s, which has no floor", f.at(imp), target)
			case below == name: // parts of one package
			case targetFloor <= floor:
				t.Errorf("%s: %s imports %s, which is not below it", f.at(imp), name, below)
			case limited && !contains(limit, below):
				t.Errorf("%s: %s may import %v only, not %s", f.at(imp), name, limit, below)
			case below == "pkg/ui" && !strings.HasPrefix(name, "pkg/cmd/") && name != "pkg/cli" && name != "cmd/clusterctl":
				t.Errorf("%s: libraries send events and never know how they look, so %s must not import pkg/ui", f.at(imp), name)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
