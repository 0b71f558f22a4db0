// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"testing"
)

// large is a file of about 5 MB: five CRDs of 1 MB, without variables but for one in the last.
func large() Source {
	var b strings.Builder
	for i := range 5 {
		fmt.Fprintf(&b, "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: c%d.example.com}\nspec:\n  properties:\n", i)
		for p := range 5000 {
			fmt.Fprintf(&b, "    field%d:\n      description: |-\n        What this field is for, over one line\n        or two, as it is usual.\n      type: string\n      maxLength: 256\n      items: [\"a\", \"b\"]\n", p)
		}
	}
	b.WriteString("    last: \"${LAST:=x}\"\n")
	return Source{Name: "large.yaml", Data: []byte(b.String())}
}

func BenchmarkParse(b *testing.B) {
	src := large()
	b.SetBytes(int64(len(src.Data)))
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	src := large()
	b.SetBytes(int64(len(src.Data)))
	for b.Loop() {
		if _, err := Render(src, unset); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkToYAML(b *testing.B) {
	objs, err := Parse(large())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ToYAML(Unwrap(objs)); err != nil {
			b.Fatal(err)
		}
	}
}
