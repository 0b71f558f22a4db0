// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// Quiesce is how the source is made to stand still.
type Quiesce string

const (
	// QuiesceScale pauses the Clusters and scales the source's controllers to zero. The default.
	QuiesceScale Quiesce = "scale"
	// QuiescePause only pauses the Clusters, and waits until their controllers say that they have seen it.
	QuiescePause Quiesce = "pause"
)

// DefaultWait is how long one wait of the quiesce phase may take where [Options.Wait] is zero.
const DefaultWait = 5 * time.Minute

// DefaultLeaseTTL is how long a move that doesn't answer any more keeps others away where [Options.LeaseTTL] is zero.
const DefaultLeaseTTL = 30 * time.Second

// Options say what is moved and how. Source, Target and Scope are needed.
type Options struct {
	// Source and Target are the two management clusters. Their clients should have no limit of
	// requests per second (QPS below 0): a move finds out itself how much the servers can take.
	Source, Target *kube.Client
	// Scope is what is moved.
	Scope plan.Scope
	// Quiesce is how the source is made to stand still; default QuiesceScale.
	Quiesce Quiesce
	// AllowProvisioning names no clusters: it lets Clusters and Machines move that aren't provisioned yet.
	AllowProvisioning bool
	// Discard says that the source is deleted as a whole after the move (a bootstrap cluster): its objects aren't deleted
	// one by one, and its controllers stay at zero.
	Discard bool
	// Part says that the move is a step of a command which says itself how to go on: then errors don't name the flags of a move.
	Part bool
	// StateDir is where the snapshot of the objects is kept while they are moved; empty means none.
	StateDir string
	// Kept hears, before the first object is copied, of the snapshot's file; its error ends the move. nil is allowed.
	Kept func(path string) error
	// Releasing hears, before the first object is deleted on the source, that the move can't be undone any more; its error ends the
	// run. nil is allowed.
	Releasing func() error
	// By says who moves, for the message that a second move gets.
	By Identity
	// Confirm is asked with the plan after all checks, before the first write; an error ends the move. nil means yes.
	Confirm func(context.Context, *plan.Plan) error
	// Wait is how long one wait of the quiesce phase may take; default DefaultWait.
	Wait time.Duration
	// LeaseTTL is how long a move that doesn't answer any more keeps others away; default DefaultLeaseTTL.
	LeaseTTL time.Duration
	// Alive says whether the process of another move still runs; nil means that only its lease can tell.
	Alive func(Identity) bool
	// Sink hears how it goes; nil is allowed.
	Sink event.Sink
}

// Identity is a process that moves.
type Identity struct {
	User string `json:"user,omitempty"`
	Host string `json:"host,omitempty"`
	PID  int    `json:"pid,omitempty"`
	// Run tells two moves of one process apart.
	Run string `json:"run,omitempty"`
}

// String is for people.
func (i Identity) String() string {
	return fmt.Sprintf("%s@%s (process %d)", i.User, i.Host, i.PID)
}

func (o *Options) complete() error {
	if o.Source == nil || o.Target == nil {
		return fault.Usagef("a move needs a source and a target")
	}
	if o.Quiesce == "" {
		o.Quiesce = QuiesceScale
	}
	if o.Quiesce != QuiesceScale && o.Quiesce != QuiescePause {
		return fault.Usagef("unknown way to quiesce %q: it is %q or %q", o.Quiesce, QuiesceScale, QuiescePause)
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.LeaseTTL == 0 {
		o.LeaseTTL = DefaultLeaseTTL
	}
	return nil
}
