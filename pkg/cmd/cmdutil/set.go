// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"strings"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ParseSet reads the values of --set, NAME=VALUE. A value is never part of an error: it may be a secret.
func ParseSet(pairs []string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, fault.Usagef("--set takes NAME=VALUE")
		}
		out[name] = value
	}
	return out, nil
}
