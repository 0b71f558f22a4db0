// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"maps"
	"slices"
	"sync"
)

// Asked notes which variables something asked for, so that values which nobody uses can be named. The zero value is ready; it is safe for
// use by several goroutines.
type Asked struct {
	mu    sync.Mutex
	names map[string]bool
}

// Lookup is next, with every name noted.
func (a *Asked) Lookup(next Lookup) Lookup {
	return func(name string) (string, bool) {
		a.mu.Lock()
		if a.names == nil {
			a.names = map[string]bool{}
		}
		a.names[name] = true
		a.mu.Unlock()
		return next(name)
	}
}

// Unused are the names of values that nobody asked for, sorted.
func (a *Asked) Unused(values map[string]string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return a.names[name] })
}
