// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"time"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Status is what is known of a move that isn't finished.
type Status struct {
	ID      string    `json:"id"`
	Phase   Phase     `json:"phase"`
	Started time.Time `json:"started"`
	// By is who began it, Latest who had it in hand last: the holder of its lease where that names one.
	By     Identity `json:"begunBy"`
	Latest Identity `json:"by"`
	Source Side     `json:"source"`
	Target Side     `json:"target"`
	// Scope is what is moved, for people.
	Scope string `json:"scope"`
	// Objects is how many.
	Objects int `json:"objects"`
	// CanRollBack says whether --rollback is still possible.
	CanRollBack bool `json:"canRollBack"`
	// Running says that a process holds the move's lease at this moment, and isn't known to be dead.
	Running bool `json:"running"`
	// Snapshot is the file with the objects as they were, on the host that began the move.
	Snapshot string `json:"snapshot,omitempty"`
}

// Inspect looks on one cluster, source or target, for a move that isn't finished; nil means that there is none. Whether it runs
// only its lease tells.
func Inspect(ctx context.Context, c *kube.Client) (*Status, error) {
	return InspectFrom(ctx, c, "", nil)
}

// InspectFrom is Inspect on a host that can tell of its own processes whether they live: a lease whose process is dead outlives it.
func InspectFrom(ctx context.Context, c *kube.Client, host string, alive func(Identity) bool) (*Status, error) {
	j, err := readJournal(ctx, c)
	if err != nil || j == nil {
		return nil, err
	}
	l, err := readLease(ctx, c)
	if err != nil {
		return nil, err
	}
	latest := j.By
	if l.holder != "" {
		latest = l.by
	}
	return &Status{
		ID: j.ID, Phase: j.Phase, Started: j.Started, By: j.By, Latest: latest, Source: j.Source, Target: j.Target, Scope: scopeText(j.Scope),
		Objects: j.Total, CanRollBack: j.BeforeRelease(), Running: l.inForce() && !l.by.dead(host, alive), Snapshot: j.Snapshot,
	}, nil
}
