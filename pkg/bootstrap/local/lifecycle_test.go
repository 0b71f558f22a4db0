// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

func TestEnsureAndDelete(t *testing.T) {
	f := newFixture(t)
	c := f.bootstrap(t, "demo")
	ensure(t, c)
	st, err := c.Status(t.Context())
	if err != nil || st.State != bootstrap.Running {
		t.Fatalf("Status: %+v, %v", st, err)
	}
	t.Run("private files", func(t *testing.T) {
		err := filepath.WalkDir(c.Dir(), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %s", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	ensure(t, c)
	if err := c.Delete(t.Context(), logSink(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(f.dirs.State, "bootstraps")); !os.IsNotExist(err) {
		t.Errorf("state is left: %v", err)
	}
}
