// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
)

// A kubeconfig that was written to another place by an earlier run goes with the cluster as well; a changed one stays.
func TestAllKubeconfigsThatWereWrittenGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rec := &Record{}
	for _, name := range []string{"a", "b", "a", "changed", "c"} {
		path := filepath.Join(dir, name)
		rec.writing(path, []byte(name))
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(rec.written()); got != 4 {
		t.Errorf("%d files are known, want 4: %v", got, rec.written())
	}
	if err := os.WriteFile(filepath.Join(dir, "changed"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &Delete{record: rec}
	outcome, err := d.removeKubeconfig(t.Context())
	if err != nil || strings.Count(outcome, "removed") != 3 || !strings.Contains(outcome, "changed since it was written: kept") {
		t.Errorf("%q, %v", outcome, err)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 1 || left[0].Name() != "changed" {
		t.Errorf("left: %v", left)
	}
}

func TestTheKubeconfigsPlaceIsCheckedFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine, theirs := filepath.Join(dir, "mine"), filepath.Join(dir, "theirs")
	rec := &Record{Name: "demo", Namespace: "default", Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: "demo"}}
	rec.writing(mine, []byte("x"))
	for _, path := range []string{mine, theirs} {
		if err := os.WriteFile(path, []byte("x"), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		mine:                        "", // read-only, and as it was written
		theirs:                      "read-only",
		filepath.Join(dir, "new"):   "",
		filepath.Join(dir, "x/new"): "does not exist",
		dir:                         "is a directory",
	} {
		rec.Inputs.KubeconfigOut = path
		c := &Create{record: rec, host: Host{Sink: event.Discard{}}}
		err := c.checkKubeconfigPath()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
