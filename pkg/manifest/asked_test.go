// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"testing"
)

func TestValuesThatNobodyUsesAreNamed(t *testing.T) {
	t.Parallel()
	var asked Asked
	values := map[string]string{"SIZE": "m", "REGOIN": "north", "COLOUR": "red"}
	lookup := asked.Lookup(func(name string) (string, bool) { v, ok := values[name]; return v, ok })
	src := Source{Name: "template", Data: []byte("a: ${SIZE}\nb: ${REGION:=south}\n")}
	if _, err := RenderAll([]Source{src}, lookup); err != nil {
		t.Fatal(err)
	}
	if got := asked.Unused(values); !slices.Equal(got, []string{"COLOUR", "REGOIN"}) {
		t.Errorf("unused %v, want COLOUR and REGOIN", got)
	}
}
