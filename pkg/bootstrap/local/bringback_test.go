// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

func TestBringBack(t *testing.T) {
	c := newFixture(t).bootstrap(t, "back")
	ensure(t, c)
	if err := c.Stop(t.Context(), logSink(t)); err != nil {
		t.Fatal(err)
	}
	if err := c.BringBack(t.Context(), logSink(t)); err != nil {
		t.Fatal(err)
	}
	if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Running {
		t.Errorf("status: %+v, %v", st, err)
	}
}

// What is gone, also since a moment ago, is not made anew: a new one would hold nothing. No programs are needed to find that out.
func TestBringBackMakesNothing(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *local.Cluster){
		"never made": func(*testing.T, *local.Cluster) {},
		"never got as far as storing anything": func(t *testing.T, c *local.Cluster) {
			t.Helper()
			stopped(t, c)
			if err := os.RemoveAll(layout.Dir(c.Dir()).Etcd()); err != nil {
				t.Fatal(err)
			}
		},
		"deleted": func(t *testing.T, c *local.Cluster) {
			t.Helper()
			stopped(t, c)
			if err := c.Delete(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		},
		"deleted while it waits": func(t *testing.T, c *local.Cluster) {
			t.Helper()
			stopped(t, c)
			held, err := lock.Try(layout.Dir(c.Dir()).EnsureLock())
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(200*time.Millisecond, func() {
				defer held.Release()
				if err := os.Rename(c.Dir(), filepath.Join(t.TempDir(), "gone")); err != nil { // As Delete does.
					t.Error(err)
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			c, err := local.New(local.Options{
				Name: "lab", Dirs: paths.Dirs{State: base, Cache: filepath.Join(base, "cache")},
				AssetsDir: filepath.Join(base, "none"), Supervisor: []string{os.Args[0], superviseArg},
			})
			if err != nil {
				t.Fatal(err)
			}
			prepare(t, c)
			_, before := os.Stat(c.Dir())
			if err := c.BringBack(t.Context(), nil); !errors.Is(err, bootstrap.ErrMissing) {
				t.Errorf("%v", err)
			}
			if _, after := os.Stat(c.Dir()); after == nil && (before != nil || name == "deleted while it waits") {
				t.Error("it makes a directory")
			}
		})
	}
}

// stopped makes what a bootstrap cluster leaves whose supervisor ended.
func stopped(t *testing.T, c *local.Cluster) {
	t.Helper()
	d := layout.Dir(c.Dir())
	if err := os.MkdirAll(filepath.Join(d.Etcd(), "member"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(
		layout.WriteJSON(d.Meta(), layout.Meta{Kind: layout.MetaKind, Version: 1, Name: c.Name()}),
		layout.WriteJSON(d.Status(), layout.Status{Phase: layout.Stopped}),
	)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Stopped {
		t.Fatalf("status: %+v, %v", st, err)
	}
}
