// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Bounds of how many requests are under way to one server at once.
const (
	startWidth = 16
	minWidth   = 1
	maxWidth   = 128
	// Requests that wait in the server rather than travel: below the first there is room for more, above the second it is pushed.
	fewQueued, manyQueued = 8, 24
)

// width finds out how many requests a server can take at once, from how long it takes to answer them: as long as answers come
// as fast as the fastest did, more are sent; when they get slower because they queue, fewer; when the server says that it
// has too many or fails, half.
type width struct {
	mu       sync.Mutex
	wake     *sync.Cond
	limit    float64
	inFlight int
	// fastest is the shortest answer so far, smooth a moving mean.
	fastest, smooth time.Duration
	halved          time.Time
}

func newWidth() *width {
	w := &width{limit: startWidth}
	w.wake = sync.NewCond(&w.mu)
	return w
}

func (w *width) enter() {
	w.mu.Lock()
	for w.inFlight >= int(w.limit) {
		w.wake.Wait()
	}
	w.inFlight++
	w.mu.Unlock()
}

func (w *width) leave(took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight--
	defer w.wake.Broadcast()
	if kube.Classify(err) == kube.ClassRetry {
		if now := time.Now(); now.Sub(w.halved) > max(w.smooth, 100*time.Millisecond) {
			w.limit, w.halved = max(w.limit/2, minWidth), now
		}
		return
	}
	if w.fastest == 0 || took < w.fastest {
		w.fastest = took
	}
	if w.smooth == 0 {
		w.smooth = took
	}
	w.smooth += (took - w.smooth) / 16
	queued := w.limit * (1 - float64(w.fastest)/float64(max(w.smooth, 1)))
	switch {
	case queued < fewQueued:
		w.limit = math.Min(w.limit+1/w.limit*4, maxWidth)
	case queued > manyQueued:
		w.limit = math.Max(w.limit-1/w.limit, minWidth)
	}
}

// each calls f for 0 to n-1, as many at once as the server takes, and stops giving out new ones at the first error or the
// context's end. What has begun is waited for. Each call is tried again while its error can heal; where the context ends before it
// does, that error is what each returns.
func (w *width) each(parent context.Context, n int, f func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	var wg sync.WaitGroup
	var troubled atomic.Pointer[error]
	for i := range n {
		w.enter()
		if ctx.Err() != nil {
			w.leaveUnused()
			break
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			tries, err := w.one(ctx, func(ctx context.Context) error { return f(ctx, i) })
			if err == nil {
				return
			}
			if tries > 1 {
				troubled.CompareAndSwap(nil, &err)
			}
			stop(err)
		}()
	}
	wg.Wait()
	if ctx.Err() == nil {
		return nil
	}
	if err := troubled.Load(); err != nil && parent.Err() != nil {
		return *err
	}
	return context.Cause(ctx)
}

// one makes one call in a place that enter gave; between two tries the place is given back.
func (w *width) one(ctx context.Context, f func(context.Context) error) (tries int, err error) {
	entered := true
	err = kube.Retry(ctx, func(ctx context.Context) error {
		if !entered {
			w.enter()
		}
		tries++
		began := time.Now()
		err := f(ctx)
		w.leave(time.Since(began), err)
		entered = false
		return err
	})
	return tries, err
}

func (w *width) leaveUnused() {
	w.mu.Lock()
	w.inFlight--
	w.mu.Unlock()
	w.wake.Broadcast()
}
