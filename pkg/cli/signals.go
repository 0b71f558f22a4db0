// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

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
	done := make(chan struct{})
	go r.watch(got, done, cancel)
	return ctx, func() {
		signal.Stop(got)
		signal.Stop(pipe)
		close(done)
		cancel(nil)
	}
}

// watch waits for signals until done.
func (r *run) watch(got <-chan os.Signal, done <-chan struct{}, cancel context.CancelCauseFunc) {
	for {
		select {
		case <-done:
			return
		case <-got:
			if r.interrupted.Swap(true) {
				r.restoreTerminal()
				r.exit(int(fault.Interrupted))
				return
			}
			event.Warnf(r.factory.View(), "%s", stopping)
			cancel(&fault.Error{
				Code: fault.Interrupted, Err: &reworded{text: "interrupted", err: context.Canceled}, Hint: resuming, Fallback: true,
			})
		}
	}
}

// restoreTerminal brings the cursor back, but waits for that no longer than a person would.
func (r *run) restoreTerminal() {
	closed := make(chan struct{})
	go func() {
		r.factory.View().Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(200 * time.Millisecond):
	}
}
