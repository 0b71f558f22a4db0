// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSnapshotsThatAreLeftAreNamed: "nothing is left" is only said where no file with Secrets is.
func TestSnapshotsThatAreLeftAreNamed(t *testing.T) {
	t.Parallel()
	d := &Delete{host: Host{}}
	d.host.Dirs.State = t.TempDir()
	dir := filepath.Join(d.host.Dirs.State, "moves")
	if got := d.left(); got != "nothing is left" {
		t.Errorf("got %q", got)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"abc.jsonl", "abc.jsonl.part"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := d.left(); !strings.Contains(got, dir) || !strings.Contains(got, "clear text") {
			t.Errorf("%s: got %q", name, got)
		}
		_ = os.Remove(path)
	}
}
