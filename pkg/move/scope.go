// SPDX-License-Identifier: Apache-2.0

package move

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

func scopeEmpty(s plan.Scope) bool {
	return !s.All && len(s.Namespaces) == 0 && len(s.Clusters) == 0
}

// scopeEqual says whether two scopes ask for the same.
func scopeEqual(a, b plan.Scope) bool {
	return a.All == b.All && same(a.Namespaces, b.Namespaces) && same(a.Clusters, b.Clusters) && same(a.Include, b.Include) && same(a.Exclude, b.Exclude)
}

func same[T any](a, b []T) bool { return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) }

// scopeText is for messages.
func scopeText(s plan.Scope) string {
	var parts []string
	if s.All {
		parts = append(parts, "everything")
	}
	if len(s.Namespaces) > 0 {
		parts = append(parts, "the namespaces "+strings.Join(s.Namespaces, ", "))
	}
	if len(s.Clusters) > 0 {
		names := make([]string, len(s.Clusters))
		for i, c := range s.Clusters {
			names[i] = c.String()
		}
		parts = append(parts, "the clusters "+first(names, 5))
	}
	text := strings.Join(parts, " and ")
	if len(s.Include) > 0 {
		text += fmt.Sprintf(" with %s", first(s.Include, 5))
	}
	if len(s.Exclude) > 0 {
		text += fmt.Sprintf(" without %s", first(s.Exclude, 5))
	}
	return text
}
