// SPDX-License-Identifier: Apache-2.0

package move

import (
	"time"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// Report is what a move did.
type Report struct {
	// ID is the move's.
	ID string `json:"id,omitempty"`
	// RolledBack says that it was undone.
	RolledBack bool `json:"rolledBack,omitempty"`
	// Objects is how many objects were to move.
	Objects int `json:"objects"`
	// AlreadyThere is how many of them a restore found on the target with the same content.
	AlreadyThere int `json:"alreadyThere,omitempty"`
	// Kinds are the objects by kind; missing where the move was begun by an earlier run.
	Kinds []plan.KindCount `json:"kinds,omitempty"`
	// Left are objects that stayed behind, and why.
	Left []plan.Left `json:"left,omitempty"`
	// Directory is where a backup went, or a restore came from.
	Directory string `json:"directory,omitempty"`
	// Snapshot is the file that holds the objects as they were.
	Snapshot string `json:"snapshot,omitempty"`
	// Took is how long this run lasted.
	Took time.Duration `json:"tookNanoseconds"`
	// Requests are what this run sent.
	Requests struct {
		Source kube.Counts `json:"source"`
		Target kube.Counts `json:"target"`
	} `json:"requests"`
}

func (r *Report) fill(m *mover) {
	r.Took = time.Since(m.began)
	if m.plan != nil {
		r.Objects, r.Kinds, r.Left = len(m.plan.Objects), m.plan.Summary(), m.plan.Left
	}
	if m.dir != nil {
		r.AlreadyThere = m.alreadyThere()
	}
	if m.journal != nil {
		r.ID, r.Snapshot = m.journal.ID, m.journal.Snapshot
		r.Objects = max(r.Objects, m.journal.Total)
	}
}
