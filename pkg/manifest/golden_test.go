// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kyaml "sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with: go test ./pkg/manifest -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestParseGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/parse/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no test files", err)
	}
	more, err := filepath.Glob("testdata/parse/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, more...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, file+".golden", parsed(t, Source{Name: "file", Data: data}))
		})
	}
}

// parsed shows what became of a source: objects with their places, or the faults with their hints.
func parsed(t *testing.T, src Source) string {
	t.Helper()
	objs, err := Parse(src)
	if err != nil {
		if fault.CodeOf(err) != fault.Usage {
			t.Errorf("the class of the error is %d", fault.CodeOf(err))
		}
		return fmt.Sprintf("%v\n\nhints:\n- %s\n", err, strings.Join(fault.Hints(err), "\n- "))
	}
	var b strings.Builder
	for _, o := range objs {
		text, err := kyaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "# %s\n%s", o.Origin, text)
	}
	return b.String()
}

func TestRenderGolden(t *testing.T) {
	t.Parallel()
	out := renderFixture(t)
	golden(t, "testdata/render/template.yaml.golden", string(out.Data))
	if strings.Contains(string(out.Data), "zqv") {
		t.Error("a token was left over")
	}
}

func renderFixture(t *testing.T) Source {
	t.Helper()
	data, err := os.ReadFile("testdata/render/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/render/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	if err := kyaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	out, err := Render(Source{Name: "template.yaml", Data: data}, lookup(values))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLinesOfTheTemplate(t *testing.T) {
	t.Parallel()
	out := renderFixture(t)
	rows := strings.Split(string(out.Data), "\n")
	for i, row := range rows {
		if strings.HasPrefix(row, "a:   1") {
			if got := out.origin(i + 1).Line; got != 31 {
				t.Errorf("line %d of the result comes from line %d of the template, want 31", i+1, got)
			}
			_, err := Parse(out)
			if err == nil || !strings.Contains(err.Error(), "template.yaml:31: ") {
				t.Errorf("Parse doesn't name the template's line: %v", err)
			}
		}
	}
}
