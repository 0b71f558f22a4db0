// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

func TestBringBack(t *testing.T) {
	t.Parallel()
	f := newFake()
	c := newTest(t, f, Options{}, nil)
	if err := c.Ensure(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	_ = f.stop(t.Context(), []string{"id1"})
	if err := c.BringBack(t.Context(), nil); err != nil || f.made != 1 {
		t.Errorf("made %d: %v", f.made, err)
	}
	if nodes, _ := f.nodes(t.Context(), inEngine); len(nodes) != 1 || !nodes[0].running() {
		t.Errorf("nodes: %+v", nodes)
	}
}

func TestBringBackMakesNothing(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *Cluster){
		"never made": func(*testing.T, *Cluster) {},
		"deleted": func(t *testing.T, c *Cluster) {
			t.Helper()
			if err := errors.Join(c.Ensure(t.Context(), nil), c.Delete(t.Context(), nil)); err != nil {
				t.Fatal(err)
			}
		},
		"deleted while it waits": func(t *testing.T, c *Cluster) {
			t.Helper()
			if err := c.Ensure(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			held, err := c.lock(t.Context(), nil, stepDelete)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(200*time.Millisecond, func() {
				defer held.Release()
				if err := c.delete(t.Context(), nil); err != nil {
					t.Error(err)
				}
			})
		},
		"never complete": func(t *testing.T, c *Cluster) {
			t.Helper()
			if err := errors.Join(c.makeDir(), c.writeRecord(&record{Cluster: inEngine, Engine: "docker"})); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			c := newTest(t, f, Options{}, nil)
			prepare(t, c)
			made := f.made
			if err := c.BringBack(t.Context(), nil); !errors.Is(err, bootstrap.ErrMissing) || f.made != made {
				t.Errorf("made %d: %v", f.made-made, err)
			}
			if _, err := os.Stat(c.dir); err == nil && name != "never complete" {
				t.Error("it makes a directory")
			}
		})
	}
}
