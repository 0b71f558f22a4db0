// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// fakeEngine holds containers in memory.
type fakeEngine struct {
	mu         sync.Mutex
	containers map[string][]container // by cluster
	made       int
	images     map[string]string // id by name
	loaded     []string
	loadErr    error
	createErr  error
	hang       chan struct{} // create waits until its containers are gone
	whileMade  int           // create waits until that many images were loaded
	stuck      chan struct{} // create waits until this is closed, whatever becomes of its containers, and makes another one
	logsHang   chan struct{} // so does the collection of logs
	info       facts
}

func newFake() *fakeEngine { return &fakeEngine{containers: map[string][]container{}} }

func (f *fakeEngine) name() string                         { return "docker" }
func (f *fakeEngine) facts(context.Context) (facts, error) { return f.info, nil }
func (f *fakeEngine) offline(context.Context, string) bool { return false }

func (f *fakeEngine) pull(context.Context, string) error { return nil }
func (f *fakeEngine) kubeconfig(string) (string, error)  { return "fresh", nil }
func (f *fakeEngine) takesImages(ctx context.Context, cluster string) bool {
	nodes, _ := f.nodes(ctx, cluster)
	return len(nodes) > 0
}

func (f *fakeEngine) load(_ context.Context, _, image string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loaded = append(f.loaded, image)
	return f.loadErr
}

func (f *fakeEngine) loads() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.loaded)
}

func (f *fakeEngine) imageID(_ context.Context, image string) (string, error) {
	if id, ok := f.images[image]; ok {
		return id, nil
	}
	return "", errors.New("no such image")
}

func (f *fakeEngine) nodes(_ context.Context, cluster string) ([]container, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.containers[cluster]), nil
}

func (f *fakeEngine) create(cluster string, _ []byte, _, kubeconfig string) error {
	f.add(cluster)
	for f.loads() < f.whileMade {
		time.Sleep(time.Millisecond)
	}
	if f.hang != nil {
		for {
			if nodes, _ := f.nodes(nil, cluster); len(nodes) == 0 { //nolint:staticcheck // The fake needs no context.
				return errors.New("the container went away")
			}
		}
	}
	if f.stuck != nil {
		<-f.stuck
		f.add(cluster)
		return errors.New("too late")
	}
	if f.createErr != nil {
		return f.createErr
	}
	return os.WriteFile(kubeconfig, []byte("first"), 0o600)
}

func (f *fakeEngine) add(cluster string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made++
	f.containers[cluster] = append(f.containers[cluster], container{ID: "id" + strconv.Itoa(f.made), Name: cluster + "-control-plane", State: "running"})
}

func (f *fakeEngine) set(ids []string, state string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for cluster, all := range f.containers {
		for i := range all {
			if slices.Contains(ids, all[i].ID) {
				all[i].State = state
			}
		}
		f.containers[cluster] = slices.DeleteFunc(all, func(c container) bool { return c.State == "" })
	}
	return nil
}

func (f *fakeEngine) start(_ context.Context, ids []string) error { return f.set(ids, "running") }
func (f *fakeEngine) stop(_ context.Context, ids []string) error  { return f.set(ids, "exited") }

func (f *fakeEngine) remove(ctx context.Context, ids []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.set(ids, "")
}

func (f *fakeEngine) collectLogs(_, dir string) error {
	if f.logsHang != nil {
		<-f.logsHang
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "kubelet.log"), []byte("it hurts"), 0o600)
}

func (f *fakeEngine) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, all := range f.containers {
		n += len(all)
	}
	return n
}

// newTest is a cluster over a fake engine; readyErr is what its API server lacks.
func newTest(t *testing.T, f *fakeEngine, o Options, readyErr *error) *Cluster {
	t.Helper()
	if o.Dirs.State == "" {
		o.Dirs = paths.Dirs{State: t.TempDir()}
	}
	o.Name = "heron"
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	c.open = func(context.Context, string, event.Sink) (engine, error) { return f, nil }
	c.ready = func(context.Context, event.Sink) (string, string, error) {
		if readyErr != nil && *readyErr != nil {
			return "", "", *readyErr
		}
		return "v1.34.4", "https://127.0.0.1:1", nil
	}
	c.unique = func() string { return "abc" }
	return c
}
