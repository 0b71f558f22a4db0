// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
)

// watchInterval is how often a flow looks whether its bootstrap cluster still runs.
const watchInterval = 5 * time.Second

// keptUp does a step and brings the bootstrap cluster back if it stops meanwhile: what waits for it would wait in vain. A bootstrap
// cluster that can't be brought back ends the step. Which one it is counts when the step begins: a step before may have changed it.
func keptUp(which func() bootstrap.Cluster, s Step, sink event.Sink) Step {
	run := s.Run
	s.Run = func(ctx context.Context) (string, error) {
		b := which()
		if b == nil || b.Type() != bootstrap.Local {
			return run(ctx) // The engine keeps containers running, and somebody else what is his.
		}
		ctx, cancel := context.WithCancelCause(ctx)
		lost := make(chan error, 1)
		go func() {
			err := keepUp(ctx, b, s.Name, sink)
			if err != nil {
				cancel(err)
			}
			lost <- err
		}()
		outcome, err := run(ctx)
		cancel(nil)
		if why := <-lost; why != nil && err != nil {
			err = why
		}
		return outcome, err
	}
	return s
}

func (c *Create) keptUp(s Step) Step {
	return keptUp(func() bootstrap.Cluster { return c.boot }, s, c.host.Sink)
}

func (d *Delete) keptUp(s Step) Step {
	return keptUp(func() bootstrap.Cluster { return d.boot }, s, d.host.Sink)
}

// keepUp looks until the context ends, and brings the cluster back when it has stopped. One that was deleted meanwhile isn't made anew:
// a new one wouldn't hold what the step is about.
func keepUp(ctx context.Context, b bootstrap.Cluster, step string, sink event.Sink) error {
	for tick := time.NewTicker(watchInterval); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return nil
		case <-tick.C:
		}
		st, err := b.Status(ctx)
		if err != nil || st.State != bootstrap.Stopped {
			continue
		}
		event.Warnf(sink, "the %s bootstrap cluster %q has stopped (%s): bringing it back", b.Type(), b.Name(), st.Detail)
		if err := b.BringBack(ctx, within(step, sink)); err != nil && ctx.Err() == nil {
			tick.Stop()
			return fmt.Errorf("bring the bootstrap cluster back, which stopped meanwhile: %w", err)
		}
	}
}
