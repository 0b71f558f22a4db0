// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cache"
)

func env(_ context.Context, args []string, process Process) error {
	planner, err := newCommon("env", process).parse(args, process)
	if err != nil {
		return err
	}
	for _, variable := range [][2]string{
		{cache.DirVariable, string(planner.Dir)},
		{"KUBEBUILDER_ASSETS", planner.Dir.Kube(planner.Versions.Kubernetes)},
		{"CLUSTERCTL_PARTS_CAPI_BIN", planner.Dir.CAPIBin(planner.Versions.CAPI)},
		{"CLUSTERCTL_PARTS_REPOSITORY", planner.Dir.Repository()},
		{"CLUSTERCTL_PARTS_KUBERNETES_VERSION", planner.Versions.Kubernetes},
		{"CLUSTERCTL_PARTS_CAPI_VERSION", planner.Versions.CAPI},
	} {
		if _, err := fmt.Fprintf(process.Stdout, "export %s=%s\n", variable[0], quote(variable[1])); err != nil {
			return err
		}
	}
	return nil
}

// quote makes one word of value for a POSIX shell.
func quote(value string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@", r)
	}
	if value != "" && strings.TrimLeftFunc(value, safe) == "" {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
