// SPDX-License-Identifier: Apache-2.0

package ports_test

import (
	"net"
	"os"
	"sync"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/ports"
)

func bootstrap(t *testing.T, state, name string) layout.Dir {
	t.Helper()
	d := layout.In(state, name)
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPortsAreRemembered(t *testing.T) {
	t.Parallel()
	d := bootstrap(t, t.TempDir(), "one")
	first, err := ports.Ensure(t.Context(), d, "a", "b")
	if err != nil || first["a"] == 0 || first["a"] == first["b"] {
		t.Fatal(first, err)
	}
	l, err := net.Listen("tcp", ports.Address(first["a"]))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	again, err := ports.Ensure(t.Context(), d, "a", "b", "c")
	if err != nil || again["a"] != first["a"] || again["b"] != first["b"] || again["c"] == 0 {
		t.Errorf("%v → %v, %v", first, again, err)
	}
	if busy := again.Listening(); len(busy) != 1 || busy[0] != first["a"] {
		t.Errorf("listening: %v", busy)
	}
	freed, moved, err := ports.Free(t.Context(), d, "a", "b")
	if err != nil || freed["a"] == first["a"] || freed["b"] != first["b"] || len(moved) != 1 || moved["a"] != first["a"] {
		t.Errorf("Free: %v, moved %v, %v", freed, moved, err)
	}
}

func TestPortsOfAllBootstrapsDiffer(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var mu sync.Mutex
	seen := map[int]string{}
	var wg sync.WaitGroup
	for _, name := range []string{"one", "two", "three", "four"} {
		d := bootstrap(t, state, name)
		wg.Go(func() {
			table, err := ports.Ensure(t.Context(), d, "a", "b", "c", "d")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, port := range table {
				if other := seen[port]; other != "" {
					t.Errorf("port %d belongs to %s and %s", port, other, name)
				}
				seen[port] = name
			}
		})
	}
	wg.Wait()
}

func TestPromises(t *testing.T) {
	t.Parallel()
	d := bootstrap(t, t.TempDir(), "one")
	for range 2 {
		if port, err := ports.Promise(t.Context(), d, ports.Pod("ns", "manager", "webhook")); err != nil || port == 0 {
			t.Fatal(port, err)
		}
	}
	if keys, err := ports.Promised(d); err != nil || len(keys) != 1 || keys[0] != "ns/manager/webhook" {
		t.Errorf("Promised: %v, %v", keys, err)
	}
}
