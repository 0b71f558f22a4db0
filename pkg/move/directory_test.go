// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// FuzzFilesAreExact: whatever text stands in an object comes back, and most of it as YAML.
func FuzzFilesAreExact(f *testing.F) {
	for _, s := range []string{"", "a", "yes", "0o7", "0755", "1e3", "1_000", "~", "null", " a\n b: c\n", "- a", "#", "\u0085", "a\u2028b\u2029", "\ufeff", "\t", "'\"", "<<", "=", "2030-01-01", "\x00", "\x7f", "😀", "é", "%", "@", "|\n", "{a: b}", "---\na", "...\n"} {
		f.Add(s, int64(9007199254740993), 0.1)
	}
	f.Fuzz(func(t *testing.T, s string, n int64, x float64) {
		if text, err := json.Marshal(s); err != nil || json.Unmarshal(text, new(string)) != nil || strings.ToValidUTF8(s, "") != s {
			t.Skip("no server stores that")
		}
		if _, err := json.Marshal(x); err != nil {
			t.Skip("not a number in JSON")
		}
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"k" + s: s, "list": []any{s, n, x, nil, true}},
		}}
		text, err := encodeFile(u)
		if err != nil {
			t.Fatal(err)
		}
		objs, err := decodeFile("a.yaml", text, nil)
		if err != nil || len(objs) != 1 {
			t.Fatalf("%v, %d objects in %s", err, len(objs), text)
		}
		want, _ := u.MarshalJSON()
		if got, _ := objs[0].MarshalJSON(); !bytes.Equal(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// TestNumbersStayExact in a snapshot too.
func TestNumbersStayExact(t *testing.T) {
	objs, err := decodeFile("a.jsonl", sealLines([]byte(`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"n":9007199254740993}`+"\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := unstructured.NestedInt64(objs[0].Object, "n"); n != 9007199254740993 {
		t.Errorf("got %v", objs[0].Object["n"])
	}
}

// TestNamesOfFiles fit every file system, and differ.
func TestNamesOfFiles(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range []plan.Key{
		{GroupKind: schema.GroupKind{Group: "a.b", Kind: "K"}, Namespace: "n", Name: "x"},
		{GroupKind: schema.GroupKind{Group: "c.d", Kind: "K"}, Namespace: "n", Name: "x"},
		{GroupKind: schema.GroupKind{Kind: "Secret"}, Namespace: "n", Name: "x"},
		{GroupKind: schema.GroupKind{Group: "a.b", Kind: "K"}, Name: "x:y"},
		{GroupKind: schema.GroupKind{Group: "a.b", Kind: "K"}, Name: strings.Repeat("x", 253)},
		{GroupKind: schema.GroupKind{Group: "a.b", Kind: "K"}, Name: strings.Repeat("x", 252) + "y"},
	} {
		name := fileName(&plan.Object{Key: k})
		if len(name) > 250 || seen[name] || strings.ContainsAny(name, `/\:*?"<>|`) || filepath.Base(name) != name {
			t.Errorf("%s: %q", k, name)
		}
		seen[name] = true
	}
}

// TestNoBackupThere: a place where nothing is gets a clear answer, and a way on, however it is asked for.
func TestNoBackupThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	for _, path := range []string{filepath.Join(t.TempDir(), "missing"), filepath.Join(file, "below")} {
		_, restoring := PreviewRestore(t.Context(), RestoreOptions{Dir: path})
		_, asking := BackupProviders(path)
		for _, err := range []error{restoring, asking} {
			if exitCode(err) != 2 || !strings.Contains(err.Error(), "there is no backup in "+path) || !strings.Contains(strings.Join(fault.Hints(err), ""), "--to-directory") {
				t.Errorf("%s: %v, hints %q", path, err, fault.Hints(err))
			}
		}
	}
}
