// SPDX-License-Identifier: Apache-2.0

package move

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// TestPlaceOfTheSnapshot: that no snapshot can be kept is found before anything is stopped, and looking leaves nothing behind.
func TestPlaceOfTheSnapshot(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir   string
		fault bool
	}{
		"none is kept":        {"", false},
		"there":               {root, false},
		"to be made":          {filepath.Join(root, "a", "b"), false},
		"a file":              {file, true},
		"below a file":        {filepath.Join(file, "moves"), true},
		"a file farther away": {filepath.Join(file, "state", "moves"), true},
	} {
		t.Run(name, func(t *testing.T) {
			var faults fault.List
			(&mover{o: Options{StateDir: tt.dir}}).keepable(&faults)
			if got := faults.Err() != nil; got != tt.fault {
				t.Errorf("got %v, want a fault: %v", faults.Err(), tt.fault)
			}
		})
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v", left, err)
	}
}
