// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// notFoundIsDone lets a run go on whose record says that the cluster was (being) made: deleted by hand, or never created. Where that a
// Cluster is missing may mean that this isn't the place where it is, nothing that belongs to it may go.
func (d *Delete) notFoundIsDone(ctx context.Context, err error) error {
	var missing *workload.NotFoundError
	if !errors.As(err, &missing) || d.record == nil {
		return err
	}
	forget := "name the management cluster that has it now with --kubeconfig, or, if the cluster is gone, forget the run: clusterctl delete cluster %s -n %s --forget"
	switch at := d.record.Bootstrap; {
	case at.Itself:
		return fault.WithHint(fault.Refusedf("cluster %s answers and managed itself, but has no Cluster of that name any more: it was moved away, or is left to itself", d.Key()),
			forget, d.opts.Name, d.opts.Namespace)
	case at.Type == bootstrap.Existing && missing.NoAPI && (at.UID == "" || d.record.Applied):
		return fault.WithHint(fault.Refusedf("the %s has no Cluster API at all, so it says nothing about cluster %s, which was begun there", d.Where(), d.Key()),
			forget, d.opts.Name, d.opts.Namespace)
	}
	if files := d.movedByHand(ctx); len(files) > 0 {
		return fault.WithHint(fault.Refusedf("there is no cluster %s on the %s, and a move of it was made on this host (%s): it may be on another management cluster now", d.Key(), d.Where(), strings.Join(files, ", ")),
			forget, d.opts.Name, d.opts.Namespace)
	}
	if err := d.record.checkNotElsewhere(ctx); err != nil {
		return err
	}
	event.Notef(d.host.Sink, "there is no cluster %s on the %s: cleaning up what was made for it", d.Key(), d.Where())
	return nil
}

// movedByHand are the snapshots of moves of the cluster that none of its runs made. While a deletion is under way that had found the
// Cluster, they say nothing of where it went.
func (d *Delete) movedByHand(ctx context.Context) []string {
	if d.record.Deleting {
		return nil
	}
	return slices.DeleteFunc(d.snapshotsLeft(ctx), func(path string) bool {
		return slices.Contains(d.record.Snapshots, strings.TrimSuffix(path, move.PartEnd))
	})
}
