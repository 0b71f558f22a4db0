// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"sync"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// tries is how often something is done that failed though it can heal. Single requests were tried for longer already.
const tries = 6

// patience is how long a move tries a request again before it says so, and how often it says so then.
const patience = 5 * time.Second

// reporting has people hear, now and then, why requests are tried again: a server that is away is waited for until the deadline.
func (m *mover) reporting(ctx context.Context) context.Context {
	var mu sync.Mutex
	said := time.Now()
	return kube.WithReporter(ctx, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(said) > patience {
			said = time.Now()
			at, _ := m.at.Load().(string)
			event.Progressf(m.o.Sink, at, "trying again: %v", err)
		}
	})
}

// persist does something that may be done again until it succeeds, fails for good, or has failed too often.
func (m *mover) persist(ctx context.Context, step string, f func(context.Context) error) error {
	pause := 250 * time.Millisecond
	for n := 1; ; n++ {
		err := f(ctx)
		if err == nil || n == tries || ctx.Err() != nil || kube.Classify(err) != kube.ClassRetry || fault.CodeOf(err) == fault.Timeout {
			return err
		}
		event.Progressf(m.o.Sink, step, "trying again: %v", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		pause *= 2
	}
}
