// SPDX-License-Identifier: Apache-2.0

// Package ports gives out TCP ports on 127.0.0.1 and remembers them, so that a bootstrap
// cluster comes back under the same addresses.
package ports

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
)

// The range that ports are taken from. It is below the range that Linux takes ports of outgoing
// connections from (32768 up), so that a port of a stopped bootstrap isn't lost to a passing
// connection; below the node ports; and outside of 19000, which the Docker provider's manager takes for itself, and 20000–30000, where its in-memory
// clusters listen.
const (
	first = 12000
	last  = 18999
)

// Host is where everything of a bootstrap listens.
const Host = "127.0.0.1"

// Table is ports.json: what a port is for → its number.
type Table map[string]int

// Address is host:port.
func Address(port int) string { return net.JoinHostPort(Host, strconv.Itoa(port)) }

// Read reads the table of a bootstrap; without a file it is empty.
func Read(d layout.Dir) (Table, error) {
	t := Table{}
	err := layout.ReadJSON(d.Ports(), &t)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return t, err
}

// Ensure gives every key a port; those that have one keep it.
func Ensure(ctx context.Context, d layout.Dir, keys ...string) (Table, error) {
	return change(ctx, d, keys, func(int) bool { return true })
}

// Free is Ensure for what is to be started now: a remembered port that somebody listens on is given up for
// another one. moved says which keys had to move, with the ports that they had.
func Free(ctx context.Context, d layout.Dir, keys ...string) (t Table, moved Table, err error) {
	moved = Table{}
	before, err := Read(d)
	if err != nil {
		return nil, nil, err
	}
	t, err = change(ctx, d, keys, available)
	for _, key := range keys {
		if old, had := before[key]; had && t[key] != old {
			moved[key] = old
		}
	}
	return t, moved, err
}

// change gives ports to keys that have none, or one that keep refuses.
func change(ctx context.Context, d layout.Dir, keys []string, keep func(int) bool) (Table, error) {
	held, err := lock.Acquire(ctx, d.PortsLock(), nil) // One for all bootstraps: they must not choose the same.
	if err != nil {
		return nil, err
	}
	defer held.Release()
	t, err := Read(d)
	if err != nil {
		return nil, err
	}
	changed := false
	var taken map[int]bool
	for _, key := range keys {
		if port, ok := t[key]; ok && keep(port) {
			continue
		}
		if taken == nil {
			taken = others(d)
		}
		port, err := choose(taken, t)
		if err != nil {
			return nil, fmt.Errorf("choose a port for %s: %w", key, err)
		}
		t[key], changed = port, true
	}
	if !changed {
		return t, nil
	}
	return t, layout.WriteJSON(d.Ports(), t)
}

// others are the ports of the other bootstraps, also of those that are stopped.
func others(d layout.Dir) map[int]bool {
	taken := map[int]bool{}
	entries, _ := os.ReadDir(d.Root())
	for _, e := range entries {
		sibling := layout.Dir(filepath.Join(d.Root(), e.Name()))
		if sibling == d || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		t, _ := Read(sibling) // One that can't be read has no say.
		for _, port := range t {
			taken[port] = true
		}
	}
	return taken
}

func choose(taken map[int]bool, own Table) (int, error) {
	mine := map[int]bool{}
	for _, port := range own {
		mine[port] = true
	}
	const size = last - first + 1
	start := rand.IntN(size)
	for i := range size {
		port := first + (start+i)%size
		if !taken[port] && !mine[port] && available(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port on %s between %d and %d", Host, first, last)
}

// available says whether the port can be listened on; somebody who listens on all addresses takes it too.
func available(port int) bool {
	l, err := net.Listen("tcp", Address(port)) //nolint:noctx // It returns at once.
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}
