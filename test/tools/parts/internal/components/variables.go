// SPDX-License-Identifier: Apache-2.0

package components

import (
	"maps"
	"regexp"
	"slices"
)

// variable finds ${NAME}, ${NAME:=default} and the other forms.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)[^}]*\}`)

// Variables are the ${…} in a text, whole, once each, sorted.
func Variables(text string) []string {
	found := map[string]bool{}
	for _, match := range variable.FindAllString(text, -1) {
		found[match] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// lost are those of before that are not in after.
func lost(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(before), func(name string) bool {
		return slices.Contains(after, name)
	})
}
