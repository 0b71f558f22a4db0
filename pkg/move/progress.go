// SPDX-License-Identifier: Apache-2.0

package move

import (
	"sync"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// progressEvery is how often progress is told.
const progressEvery = 250 * time.Millisecond

// progress tells how many objects of a phase are done, and how fast.
type progress struct {
	m           *mover
	step, what  string
	mu          sync.Mutex
	done, total int
	began, told time.Time
}

func (m *mover) progress(step string, total int) *progress {
	now := time.Now()
	return &progress{m: m, step: step, what: "objects", total: total, began: now, told: now}
}

func (p *progress) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if now := time.Now(); now.Sub(p.told) >= progressEvery {
		p.told = now
		event.Progressf(p.m.o.Sink, p.step, "%d of %d %s, %.0f a second", p.done, p.total, p.what, float64(p.done)/now.Sub(p.began).Seconds())
	}
}

func (p *progress) stop() {}
