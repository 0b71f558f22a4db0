// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// tries is how often something is done that failed though it can heal. Single requests were tried for longer already.
const tries = 6

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
