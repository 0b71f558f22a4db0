// SPDX-License-Identifier: Apache-2.0

package layout_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
)

func TestADirectoryThatWasJustBegunIsNotForeign(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"ensure.lock": fs.ErrNotExist, ".bootstrap.json-123": fs.ErrNotExist, "notes.txt": layout.ErrForeign,
	} {
		state := t.TempDir()
		d := layout.In(state, "lab")
		if err := os.MkdirAll(string(d), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(string(d), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := d.ReadMeta(); !errors.Is(err, want) {
			t.Errorf("a directory with %s: %v, want %v", name, err, want)
		}
	}
}
