// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// inOrder has a single step look first whether what it builds on is there: the run's record, and the bootstrap cluster.
func (c *Create) inOrder(s Step) Step {
	skip, run := s.Skip, s.Run
	s.Skip = func() string {
		if skip == nil || !c.mayBegin(s.Name) {
			return "" // That there is nothing to do, a run that never began can't know.
		}
		return skip()
	}
	s.Run = func(ctx context.Context) (string, error) {
		if !c.mayBegin(s.Name) {
			return "", fault.WithHint(fault.Refusedf("no run for cluster %s was begun", c.key()),
				"begin it with the same flags: clusterctl phase %s %s -n %s, then: clusterctl phase %s %s -n %s",
				StepPreflight, c.record.Name, c.record.Namespace, StepBootstrap, c.record.Name, c.record.Namespace)
		}
		if err := c.bootstrapThere(ctx, s.Name); err != nil {
			return "", err
		}
		return run(ctx)
	}
	return s
}

// mayBegin says whether a step can be the first of a run, or the run was begun.
func (c *Create) mayBegin(step string) bool {
	return c.resumed || step == StepPreflight || step == StepBootstrap
}

// bootstrapThere refuses a step that works with a bootstrap cluster of ours which isn't there.
func (c *Create) bootstrapThere(ctx context.Context, step string) error {
	if !needsBootstrap(step) || c.record.Bootstrap.Type == bootstrap.Existing {
		return nil
	}
	st, err := c.boot.Status(ctx)
	if err != nil || st.State != bootstrap.Missing {
		return err
	}
	return fault.WithHint(fault.Refusedf("the %s isn't there", describeBootstrap(c.record.Bootstrap)),
		"make it first: clusterctl phase %s %s -n %s", StepBootstrap, c.record.Name, c.record.Namespace)
}
