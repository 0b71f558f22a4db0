// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// Preview makes the plan and proves it like Run does, and changes nothing on either side. With faults, the plan comes with the error.
// Without a target only the plan is made.
func Preview(ctx context.Context, o Options) (*plan.Plan, error) {
	if o.Target == nil {
		return plan.Build(ctx, o.Source, o.Scope, plan.Options{Sink: o.Sink})
	}
	m, err := newMover(&o)
	if err != nil {
		return nil, err
	}
	source, target, err := m.identify(ctx)
	if err != nil {
		return nil, err
	}
	if found, err := m.findJournal(ctx, source, target); err != nil {
		return nil, err
	} else if found != nil {
		return nil, unfinished(found)
	}
	err = m.look(ctx)
	return m.plan, err
}
