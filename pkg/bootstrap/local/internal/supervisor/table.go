// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
)

// table is status.json: every change is written at once.
type table struct {
	mu     sync.Mutex
	file   string
	status layout.Status
}

func newTable(d layout.Dir, self proc.Ident) *table {
	return &table{file: d.Status(), status: layout.Status{Supervisor: self, Phase: layout.Starting}}
}

// set changes the table as a whole.
func (t *table) set(change func(*layout.Status)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.status)
	t.write()
}

// update changes one process's line; it is added if there is none.
func (t *table) update(name string, change func(*layout.Process)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ps := t.status.Processes
	i := slices.IndexFunc(ps, func(p layout.Process) bool { return p.Name == name })
	if i < 0 {
		t.status.Processes = append(ps, layout.Process{Name: name})
		i = len(ps)
	}
	change(&t.status.Processes[i])
	t.write()
}

// remove takes a process's line out.
func (t *table) remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status.Processes = slices.DeleteFunc(t.status.Processes, func(p layout.Process) bool { return p.Name == name })
	t.write()
}

func (t *table) write() {
	// Control plane in order of start, then providers by name.
	slices.SortStableFunc(t.status.Processes, func(a, b layout.Process) int {
		switch {
		case a.Provider != b.Provider && a.Provider:
			return 1
		case a.Provider != b.Provider:
			return -1
		case a.Provider:
			return strings.Compare(a.Name, b.Name)
		}
		return 0
	})
	t.status.Updated = time.Now()
	// A full disk must not end what runs; the readers see that the file is old.
	_ = layout.WriteVolatile(t.file, t.status)
}
