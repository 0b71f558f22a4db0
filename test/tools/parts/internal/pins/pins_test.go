// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"os"
	"path/filepath"
	"testing"
)

func fixture(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, module := range []string{Kubernetes, Etcd, CAPI, Parts} {
		dir := filepath.Join(root, "test", "tools", module)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		content := "module example.org/" + module + "\n\nrequire example.org/x v1.2.3 // indirect\n"
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLocate(t *testing.T) {
	t.Parallel()
	root := fixture(t)
	tools := filepath.Join(root, "test", "tools")
	for _, test := range []struct{ name, flag, dir string }{
		{"from the root", "", root},
		{"from the tools folder", "", tools},
		{"from a module", "", filepath.Join(tools, Parts)},
		{"by flag", tools, t.TempDir()},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, err := Locate(test.flag, test.dir); err != nil || got != Tools(tools) {
				t.Errorf("Locate() = %q, %v, want %q", got, err, tools)
			}
		})
	}
	if _, err := Locate("", t.TempDir()); err == nil {
		t.Error("Locate() outside of a source tree: no error")
	}
	if _, err := Locate(t.TempDir(), root); err == nil {
		t.Error("Locate() with a wrong flag: no error")
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	tools := Tools(filepath.Join(fixture(t), "test", "tools"))
	if got, err := tools.Version(CAPI, "example.org/x"); err != nil || got != "v1.2.3" {
		t.Errorf("Version() = %q, %v, want v1.2.3", got, err)
	}
	if _, err := tools.Version(CAPI, "example.org/y"); err == nil {
		t.Error("Version() of a module that isn't required: no error")
	}
}
