// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// RetryLimit is how long Retry tries where the context has no deadline.
const RetryLimit = 2 * time.Minute

// Retry calls f until it succeeds or fails with something that can't heal (see [Classify]),
// or the context ends. Conflicts are tried again too, so f has to read what it bases its
// write on. At the deadline the error has class fault.Timeout and wraps the last cause.
func Retry(ctx context.Context, f func(context.Context) error) error {
	return retry(ctx, nil, f)
}

// reporter is the key of what hears why something is tried again.
type reporter struct{}

// WithReporter has failed hear why something is tried again that Retry and its likes try, where nobody else does. It may be called
// from several goroutines at once.
func WithReporter(ctx context.Context, failed func(error)) context.Context {
	return context.WithValue(ctx, reporter{}, failed)
}

// retry is Retry that tells failed each cause that it tries again after.
func retry(ctx context.Context, failed func(error), f func(context.Context) error) error {
	if failed == nil {
		failed, _ = ctx.Value(reporter{}).(func(error))
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, RetryLimit)
		defer cancel()
	}
	backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 1.7, Jitter: 0.2, Steps: 9, Cap: 5 * time.Second}
	var last error
	for {
		err := f(ctx)
		switch class := Classify(err); {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return gaveUp(ctx, err, last)
		case class != ClassRetry && class != ClassConflict:
			return err
		}
		last = err
		if failed != nil {
			failed(err)
		}
		delay := backoff.Step()
		if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
			delay = max(delay, time.Duration(seconds)*time.Second)
		}
		if !sleep(ctx, delay) {
			return gaveUp(ctx, err, last)
		}
	}
}

// gaveUp words the end of trying. The last cause before the end says more than "deadline exceeded".
func gaveUp(ctx context.Context, err, last error) error {
	if last != nil {
		err = last
	}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return fmt.Errorf("%w; last cause: %w", context.Canceled, err)
	}
	return fault.WithCode(fault.Timeout, fmt.Errorf("gave up at the deadline: %w", err))
}

// sleep waits, and says whether it did to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
