// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// parallel is how many requests of one operation are under way at once, unless its options say otherwise.
const parallel = 8

// DefaultInterval is the pause between two looks of Wait where none is given.
const DefaultInterval = time.Second

// Condition is something to wait for.
type Condition interface {
	// String names it, for example "Deployment capi-system/capi-controller-manager".
	String() string
	// Check looks once. While it isn't done, reason says why not yet, in one line. An error ends the
	// wait if it can't heal (see Classify); otherwise it counts as the reason.
	Check(ctx context.Context) (done bool, reason string, err error)
}

// ConditionFunc makes a Condition of a name and a function.
func ConditionFunc(name string, check func(ctx context.Context) (bool, string, error)) Condition {
	return conditionFunc{name: name, check: check}
}

type conditionFunc struct {
	name  string
	check func(ctx context.Context) (bool, string, error)
}

func (c conditionFunc) String() string { return c.name }

func (c conditionFunc) Check(ctx context.Context) (bool, string, error) { return c.check(ctx) }

// Wait looks at all conditions every interval until all are done. The sink gets a Progress of the step
// when what blocks changes. At the context's deadline the error has class fault.Timeout and names each
// unfinished condition with its last reason. A condition that was done isn't looked at again.
// Several conditions about objects of one kind and namespace share one LIST. An interval of 0 is DefaultInterval.
func Wait(ctx context.Context, sink event.Sink, step string, interval time.Duration, conds ...Condition) error {
	w := &waiter{open: conds, total: len(conds), reasons: map[string]string{}}
	if interval <= 0 {
		interval = DefaultInterval
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	shown := ""
	for {
		if err := w.look(ctx); err != nil {
			return err
		}
		if len(w.open) == 0 {
			return nil
		}
		if now := w.progress(); now != shown && ctx.Err() == nil {
			shown = now
			event.Progressf(sink, step, "%s", now)
		}
		select {
		case <-ctx.Done():
			return w.ended(ctx)
		case <-ticker.C:
		}
	}
}

type waiter struct {
	open  []Condition
	total int

	mu      sync.Mutex
	reasons map[string]string
}

// look checks the open conditions and keeps those that aren't done.
func (w *waiter) look(ctx context.Context) error {
	results := make([]bool, len(w.open))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, batch := range batches(w.open) {
		g.Go(func() error { return w.lookAt(gctx, batch, results) })
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return nil //nolint:nilerr // Wait says how it ended
	}
	var still []Condition
	for i, c := range w.open {
		if !results[i] {
			still = append(still, c)
		}
	}
	w.open = still
	return err
}

// lookAt checks one batch: conditions that can be answered together.
func (w *waiter) lookAt(ctx context.Context, batch []int, results []bool) error {
	check := func(c Condition) (bool, string, error) { return c.Check(ctx) }
	if len(batch) >= listFrom {
		objects, err := w.open[batch[0]].(*objectCondition).listAll(ctx)
		check = func(c Condition) (bool, string, error) { return c.(*objectCondition).judgeIn(ctx, objects, err) }
	}
	for _, i := range batch {
		done, reason, err := check(w.open[i])
		switch class := Classify(err); {
		case err == nil:
			w.note(w.open[i], reason)
		case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
			w.noteLast(w.open[i], err.Error())
		case class == ClassRetry || class == ClassConflict:
			w.note(w.open[i], err.Error())
		default:
			return fmt.Errorf("wait for %s: %w", w.open[i], err)
		}
		results[i] = done && err == nil
	}
	return nil
}

func (w *waiter) note(c Condition, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reasons[c.String()] = reason
}

// noteLast is for the look that the deadline cut off: what earlier looks found says more.
func (w *waiter) noteLast(c Condition, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reasons[c.String()] == "" {
		w.reasons[c.String()] = reason
	}
}

// progress says how far it is and what blocks: the first open condition stands for the others.
func (w *waiter) progress() string {
	first := w.open[0]
	text := first.String()
	if reason := w.reasons[text]; reason != "" {
		text += ": " + reason
	}
	if w.total == 1 {
		return text
	}
	return fmt.Sprintf("%d of %d ready; %s", w.total-len(w.open), w.total, text)
}

// maxEnded is how many unfinished conditions an error names: the first ones block, the others mostly follow from them.
const maxEnded = 8

// ended words the end of a wait that wasn't finished.
func (w *waiter) ended(ctx context.Context) error {
	var lines []string
	for _, c := range w.open {
		line := c.String()
		if reason := w.reasons[line]; reason != "" {
			line += ": " + reason
		}
		lines = append(lines, line)
	}
	text := lines[0]
	if n := len(lines); n > 1 {
		more := ""
		if n > maxEnded {
			lines, more = lines[:maxEnded], fmt.Sprintf("\n  - and %d more", n-maxEnded)
		}
		text = fmt.Sprintf("%d of %d:\n  - %s%s", n, w.total, strings.Join(lines, "\n  - "), more)
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fault.Timeoutf("timed out waiting for %s", text)
	}
	return fmt.Errorf("%w while waiting for %s", context.Cause(ctx), text)
}
