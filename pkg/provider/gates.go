// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const gatesFlag = "--feature-gates"

// FeatureGates are the feature gates that a provider's Deployment names in the arguments of its containers, and whether they are on.
// One that isn't named has the default of the provider's version, which nothing here knows.
func FeatureGates(d *unstructured.Unstructured) map[string]bool {
	out := map[string]bool{}
	containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
	for _, c := range containers {
		container, _ := c.(map[string]any)
		for _, field := range []string{"command", "args"} {
			words, _, _ := unstructured.NestedStringSlice(container, field)
			for i, word := range words {
				value, named := strings.CutPrefix(word, gatesFlag+"=")
				if word == gatesFlag && i+1 < len(words) {
					value, named = words[i+1], true
				}
				if named {
					readGates(out, value)
				}
			}
		}
	}
	return out
}

func readGates(into map[string]bool, value string) {
	for pair := range strings.SplitSeq(value, ",") {
		name, state, _ := strings.Cut(pair, "=")
		if on, err := strconv.ParseBool(strings.TrimSpace(state)); err == nil {
			into[strings.TrimSpace(name)] = on
		}
	}
}
