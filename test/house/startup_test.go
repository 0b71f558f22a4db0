// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// heavyImports cost so much when the program starts that "clusterctl version" and every completion would feel
// it, with what to use instead.
func heavyImports() map[string]string {
	return map[string]string{
		"k8s.io/client-go/kubernetes/scheme":        "use pkg/kube, or pkg/bootstrap/internal/pods (client-go's discovery and clientset bring it along)",
		"sigs.k8s.io/controller-runtime/pkg/client": "use pkg/kube",
		"sigs.k8s.io/cluster-api/cmd/clusterctl":    "upstream's program is what we measure ourselves against",
		"k8s.io/cli-runtime/pkg/genericclioptions":  "use pkg/cmd/cmdutil",
		"k8s.io/kubectl/pkg/cmd/util":               "use pkg/cmd/cmdutil",
	}
}

func TestStartUpStaysLight(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./cmd/clusterctl")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	importedBy := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, imported := range words[1:] {
			importedBy[imported] = append(importedBy[imported], words[0])
		}
	}
	for heavy, why := range heavyImports() {
		if culprits := ourImporters(importedBy, heavy); len(culprits) > 0 {
			t.Errorf("%s is linked in through %s: %s", heavy, strings.Join(culprits, ", "), why)
		}
	}
}

// ourImporters finds the packages of ours through which a package comes in.
func ourImporters(importedBy map[string][]string, pkg string) []string {
	var ours []string
	seen := map[string]bool{pkg: true}
	for queue := []string{pkg}; len(queue) > 0; queue = queue[1:] {
		for _, by := range importedBy[queue[0]] {
			switch {
			case seen[by]:
			case strings.HasPrefix(by, module):
				ours = append(ours, strings.TrimPrefix(by, module))
			default:
				queue = append(queue, by)
			}
			seen[by] = true
		}
	}
	slices.Sort(ours)
	return ours
}
