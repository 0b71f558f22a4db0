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
// cluster that can't be brought back ends the step.
func keptUp(b bootstrap.Cluster, s Step, sink event.Sink) Step {
	if b == nil || b.Type() != bootstrap.Local || s.Run == nil {
		return s // The engine keeps containers running, and somebody else what is his.
	}
	run := s.Run
	s.Run = func(ctx context.Context) (string, error) {
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

// keepUp looks until the context ends, and brings the cluster back when it has stopped.
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
		if err := b.Ensure(ctx, within(step, sink)); err != nil && ctx.Err() == nil {
			tick.Stop()
			return fmt.Errorf("bring the bootstrap cluster back, which stopped meanwhile: %w", err)
		}
	}
}
