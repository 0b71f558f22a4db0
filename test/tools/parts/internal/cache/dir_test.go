// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, flag, want string
		env              map[string]string
	}{
		{"flag wins", "/f", "/f", map[string]string{DirVariable: "/v", "XDG_CACHE_HOME": "/x", "HOME": "/h"}},
		{"variable", "", "/v", map[string]string{DirVariable: "/v", "XDG_CACHE_HOME": "/x", "HOME": "/h"}},
		{"XDG folder", "", "/x/clusterctl-parts", map[string]string{"XDG_CACHE_HOME": "/x", "HOME": "/h"}},
		{"relative XDG folder is ignored", "", "/h/.cache/clusterctl-parts", map[string]string{"XDG_CACHE_HOME": "x", "HOME": "/h"}},
		{"home", "", "/h/.cache/clusterctl-parts", map[string]string{"HOME": "/h"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Locate(test.flag, func(name string) string { return test.env[name] })
			if err != nil || got != Dir(test.want) {
				t.Errorf("Locate() = %q, %v, want %q", got, err, test.want)
			}
		})
	}
	if _, err := Locate("", func(string) string { return "" }); err == nil {
		t.Error("Locate() without any variable: no error")
	}
}

func TestPlaceReplacesFolder(t *testing.T) {
	t.Parallel()
	dir := Dir(t.TempDir())
	target := filepath.Join(string(dir), "a", "b")
	for _, name := range []string{"one", "two"} {
		temp, err := dir.TempDir("x")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(temp, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := dir.Place(temp, target); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(target)
	if err != nil || len(entries) != 1 || entries[0].Name() != "two" {
		t.Errorf("after two placements: %v, %v, want only the file two", entries, err)
	}
	if left, _ := os.ReadDir(dir.Temp()); len(left) != 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}
