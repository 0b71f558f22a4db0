// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const (
	stopping = "stopping at the next safe point; press Ctrl-C again to stop at once (safe: run the same command again to go on)"
	resuming = "run the same command again to go on"
)

// signals makes a context that the first SIGINT or SIGTERM cancels; the second ends the process at once.
// Writes to a pipe that nobody reads fail with an error, so that the work is not cut off by SIGPIPE.
func (r *run) signals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	got := make(chan os.Signal, 2)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	var interrupted atomic.Bool
	r.interrupted = interrupted.Load
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-got:
				if interrupted.Swap(true) {
					r.factory.View().Close() // the cursor is back
					os.Exit(int(fault.Interrupted))
				}
				event.Warnf(r.factory.View(), "%s", stopping)
				cancel(fault.WithHint(&fault.Error{
					Code: fault.Interrupted, Err: fmt.Errorf("interrupted by %s: %w", s, context.Canceled),
				}, resuming))
			}
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		signal.Stop(pipe)
		close(done)
		cancel(nil)
	}
}
