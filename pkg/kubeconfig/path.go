// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// UserFile returns the kubeconfig that [Merge] should write to, and the other files
// that kubectl reads together with it. The rules are those of kubectl config: of the
// files in KUBECONFIG the first that exists, else the last; without KUBECONFIG
// .kube/config below the home directory.
func UserFile(getenv func(string) string, home string) (path string, others []string, err error) {
	var list []string
	for _, p := range filepath.SplitList(getenv("KUBECONFIG")) {
		if p != "" {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		if home == "" {
			return "", nil, fault.WithHint(fault.Usagef("find the kubeconfig to merge into: no home directory and no KUBECONFIG"), "name the file with --output")
		}
		return filepath.Join(home, ".kube", "config"), nil, nil
	}
	path = list[len(list)-1]
	for _, p := range list {
		if _, err := os.Stat(p); !errors.Is(err, os.ErrNotExist) {
			path = p
			break
		}
	}
	for _, p := range list {
		if p != path {
			others = append(others, p)
		}
	}
	return path, others, nil
}
