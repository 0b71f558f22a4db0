// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"time"

	"github.com/clusterctl/clusterctl/pkg/kube"
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

// Status is what is known of a move that isn't finished.
type Status struct {
	ID      string    `json:"id"`
	Phase   Phase     `json:"phase"`
	Started time.Time `json:"started"`
	By      Identity  `json:"by"`
	Source  Side      `json:"source"`
	Target  Side      `json:"target"`
	// Scope is what is moved, for people.
	Scope string `json:"scope"`
	// Objects is how many.
	Objects int `json:"objects"`
	// CanRollBack says whether --rollback is still possible.
	CanRollBack bool `json:"canRollBack"`
	// Running says that a process holds the move's lease at this moment.
	Running bool `json:"running"`
	// Snapshot is the file with the objects as they were, on the host that began the move.
	Snapshot string `json:"snapshot,omitempty"`
}

// Inspect looks on one cluster, source or target, for a move that isn't finished; nil means that there is none.
func Inspect(ctx context.Context, c *kube.Client) (*Status, error) {
	j, err := readJournal(ctx, c)
	if err != nil || j == nil {
		return nil, err
	}
	running, err := leaseHeld(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Status{
		ID: j.ID, Phase: j.Phase, Started: j.Started, By: j.By, Source: j.Source, Target: j.Target, Scope: scopeText(j.Scope),
		Objects: j.Total, CanRollBack: j.BeforeRelease(), Running: running, Snapshot: j.Snapshot,
	}, nil
}
