// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// mover is one run of a move.
type mover struct {
	o Options
	// src and dst are the clusters; src is somebody else's connection while webhooks let only that pass.
	src, dst *kube.Client
	// srcWidth and dstWidth are how much the servers take.
	srcWidth, dstWidth *width
	journal            *Journal
	plan               *plan.Plan
	// copies are what is known of each object of the plan on the target, by its position.
	copies []copied
	// fresh says that the plan's look at the source is still good: nothing ran there that could have changed anything.
	fresh bool
	// held is what the journal says is paused on the target only; outside are the UIDs of owners that aren't part of the move.
	held    map[plan.Key]bool
	outside map[string]types.UID
	// onTarget are objects of the plan that the preflight found on the target.
	onTarget map[plan.Key]bool
	// dir is the folder that a restore reads instead of a source.
	dir *directory
	// scaledTwice counts how often somebody started the source's controllers again.
	scaledTwice int
	report      *Report
	began       time.Time
	// at is the name of the phase, for what is said while requests are tried again.
	at atomic.Value
	// requests before the run, to tell what the run sent.
	srcBefore, dstBefore kube.Counts
}

// Run moves, or goes on with the move that the journal tells of. Errors before the first write have class fault.Refused;
// after an error that can't heal before anything was released, everything is put back first. Where the move stopped half
// way, the error has class fault.Partial, and Run again goes on.
func Run(ctx context.Context, o Options) (*Report, error) {
	m, err := newMover(&o)
	if err != nil {
		return nil, err
	}
	var source, target Side
	var found *Journal
	err = m.persist(ctx, "plan", func(ctx context.Context) error {
		if source, target, err = m.identify(ctx); err != nil {
			return err
		}
		found, err = m.findJournal(ctx, source, target)
		return err
	})
	if err != nil {
		return nil, err
	}
	if found != nil && found.Phase == PhaseRollingBack {
		return nil, fault.WithHint(fault.Refusedf("the move %s of %s is being undone", found.ID, found.Started.Format(time.RFC3339)), "finish that first: clusterctl move --rollback, with the same two clusters")
	}
	if found != nil {
		if err := m.sameMove(found); err != nil {
			return nil, err
		}
		if found.Phase == PhaseMoved {
			m.journal = found
			m.sum()
			event.Notef(o.Sink, "the move %s, begun %s by %s, is done: the source can be deleted", found.ID, found.Started.Format(time.RFC3339), found.By)
			return m.report, nil
		}
		m.journal = found
	}
	if m.journal == nil {
		if err := m.prepare(ctx, source, target); errors.Is(err, errMoved) {
			event.Notef(o.Sink, "%v", err)
			// The leases of a run that was killed are given back, where it is known to be dead.
			if release, _, err := m.lock(ctx); err == nil {
				release()
			}
			m.sum()
			return m.report, nil
		} else if err != nil {
			return nil, err
		}
	}
	if found == nil {
		return m.locked(ctx, m.phases)
	}
	began := *found
	return m.locked(ctx, func(ctx context.Context) error { // Not before: it may be somebody else who goes on with it.
		event.Notef(o.Sink, "going on with the move %s, begun %s by %s, in phase %s", began.ID, began.Started.Format(time.RFC3339), began.By, began.Phase)
		return m.phases(ctx)
	})
}

func newMover(o *Options) (*mover, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if o.By.Run == "" {
		o.By.Run = rand.String(5)
	}
	return &mover{
		o: *o, src: o.Source, dst: o.Target, srcWidth: newWidth(), dstWidth: newWidth(), began: time.Now(),
		srcBefore: o.Source.Requests(), dstBefore: o.Target.Requests(), report: &Report{},
	}, nil
}

// identify finds out which clusters these are, and that they are two.
func (m *mover) identify(ctx context.Context) (source, target Side, err error) {
	if source.UID, err = m.src.UID(ctx); err != nil {
		return source, target, fmt.Errorf("source: %w", err)
	}
	if target.UID, err = m.dst.UID(ctx); err != nil {
		return source, target, fmt.Errorf("target: %w", err)
	}
	source.Host, target.Host = m.src.Host(), m.dst.Host()
	if source.UID == target.UID {
		return source, target, fault.Refusedf("source (%s) and target (%s) are the same cluster: nothing to move", source.Host, target.Host)
	}
	return source, target, nil
}

// findJournal looks on both sides for a move between them, and refuses to start one where another is under way.
func (m *mover) findJournal(ctx context.Context, source, target Side) (*Journal, error) {
	var onSource *Journal
	var err error
	if m.o.Source != nil {
		if onSource, err = readJournal(ctx, m.o.Source); err != nil {
			return nil, err
		}
	}
	onTarget, err := readJournal(ctx, m.dst)
	if err != nil {
		return nil, err
	}
	var faults fault.List
	for _, j := range []*Journal{onSource, onTarget} {
		if j != nil && (j.Source.UID != source.UID || j.Target.UID != target.UID) {
			faults.Add(otherMove(j))
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	switch {
	case onSource == nil && onTarget == nil:
		return nil, nil
	case onSource == nil: // only its very end is without a journal on the source
		return onTarget, nil
	}
	if onTarget != nil {
		onSource.created = onTarget.created
	}
	return onSource, nil
}

func otherMove(j *Journal) error {
	if j.Phase == PhaseMoved {
		err := fault.Refusedf("%s was moved to %s as a whole (move %s, begun %s by %s): what it still holds is only to be deleted with it",
			j.Source.Host, j.Target.Host, j.ID, j.Started.Format(time.RFC3339), j.By)
		return fault.WithHint(err, "name the cluster that it was moved to")
	}
	err := fault.Refusedf("another move is under way: %s from %s to %s, in phase %s, begun %s by %s", j.ID, j.Source.Host, j.Target.Host, j.Phase,
		j.Started.Format(time.RFC3339), j.By)
	if j.fromFiles() {
		return fault.WithHint(err, "finish it first with --from-directory %s (its files have to be what they were)%s", j.Source.Host, j.orUndo(" beside that"))
	}
	return fault.WithHint(err, "finish it first with --resume%s, between those two clusters", j.orUndo(""))
}

// sameMove refuses to take a move that was begun for another purpose for this one.
func (m *mover) sameMove(j *Journal) error {
	if scopeEmpty(m.o.Scope) || scopeEqual(m.o.Scope, j.Scope) {
		return nil
	}
	return unfinished(j)
}

func unfinished(j *Journal) error {
	err := fault.Refusedf("the move %s, begun %s by %s, isn't finished; it is about %s", j.ID, j.Started.Format(time.RFC3339), j.By, scopeText(j.Scope))
	return fault.WithHint(err, "finish it first with --resume%s", j.orUndo(""))
}

// prepare looks at everything and asks, before the first write.
func (m *mover) prepare(ctx context.Context, source, target Side) error {
	if scopeEmpty(m.o.Scope) {
		return fault.WithHint(fault.Refusedf("there is no move to go on with between these two clusters"), "clusterctl move --to-kubeconfig FILE starts one")
	}
	if err := m.look(ctx); err != nil {
		return err
	}
	if m.o.Confirm != nil {
		if err := m.o.Confirm(ctx, m.plan); err != nil {
			return err
		}
	}
	m.journal = &Journal{
		ID: rand.String(8), Phase: PhaseQuiescing, Started: time.Now().UTC().Truncate(time.Second), By: m.o.By, Source: source, Target: target,
		Scope: m.o.Scope, Quiesce: m.o.Quiesce, AllowProvisioning: m.o.AllowProvisioning, Discard: m.o.Discard,
		Total: len(m.plan.Objects), Remaining: len(m.plan.Remaining) > 0,
	}
	return nil
}

// look makes the plan and proves it.
func (m *mover) look(ctx context.Context) error {
	event.Startf(m.o.Sink, "plan", "Plan")
	err := m.persist(ctx, "plan", func(ctx context.Context) error {
		var err error
		m.plan, err = plan.Build(ctx, m.src, m.o.Scope, plan.Options{Sink: m.o.Sink})
		return err
	})
	if err != nil {
		err = m.movedBefore(ctx, err)
	}
	if errors.Is(err, errMoved) {
		event.Donef(m.o.Sink, "plan", "nothing is left to move")
		return err
	} else if err != nil {
		event.Failf(m.o.Sink, "plan", "%s", fault.Brief(err))
		return err
	}
	for _, w := range m.plan.Warnings {
		event.Warnf(m.o.Sink, "%s", w)
	}
	event.Donef(m.o.Sink, "plan", "%s of %s", event.Count(len(m.plan.Objects), "object"), event.Count(len(m.plan.Clusters()), "cluster"))
	event.Startf(m.o.Sink, "preflight", "Preflight")
	if err := m.persist(ctx, "preflight", m.preflight); err != nil {
		event.Failf(m.o.Sink, "preflight", "%s", fault.Brief(err))
		return err
	}
	event.Donef(m.o.Sink, "preflight", "the target takes them")
	return nil
}

// phases goes through those that are left.
func (m *mover) phases(ctx context.Context) error {
	j := m.journal
	if j.Phase == PhaseQuiescing {
		if err := m.undoIfRefused(ctx, m.step(ctx, "quiesce", "Quiesce the source", m.quiesce)); err != nil {
			return err
		}
		if err := m.enter(ctx, PhaseCopying); err != nil {
			return err
		}
	}
	if j.Phase == PhaseCopying {
		if err := m.undoIfRefused(ctx, m.copyPhase(ctx)); err != nil {
			return err
		}
		if err := m.enter(ctx, PhaseReleasing); err != nil {
			return err
		}
	}
	if j.Phase == PhaseReleasing {
		if m.o.Releasing != nil {
			if err := m.o.Releasing(); err != nil {
				return err
			}
		}
		if err := m.step(ctx, "release", "Release from the source", m.release); err != nil {
			return err
		}
		if err := m.enter(ctx, PhaseResuming); err != nil {
			return err
		}
	}
	if j.Phase == PhaseResuming {
		if err := m.step(ctx, "resume", "Resume on the target", m.resume); err != nil {
			return err
		}
		if err := m.enter(ctx, PhaseFinishing); err != nil {
			return err
		}
	}
	return m.step(ctx, "finish", "Finish", m.finish)
}

// enter writes the next phase down, on both sides; the source's journal counts.
func (m *mover) enter(ctx context.Context, p Phase) error {
	m.journal.Phase = p
	return m.save(ctx)
}

func (m *mover) save(ctx context.Context) error {
	created := m.journal.created
	if m.o.Source != nil {
		if err := writeJournal(ctx, m.o.Source, m.journal); err != nil {
			return fmt.Errorf("source: %w", err)
		}
	}
	if err := writeJournal(ctx, m.dst, m.journal); err != nil {
		m.journal.created = created
		return fmt.Errorf("target: %w", err)
	}
	return nil
}

// step is one phase with its events.
func (m *mover) step(ctx context.Context, name, title string, f func(context.Context) (string, error)) error {
	m.at.Store(name)
	event.Startf(m.o.Sink, name, "%s", title)
	var done string
	err := m.persist(ctx, name, func(ctx context.Context) error {
		var err error
		done, err = f(ctx)
		return err
	})
	if err != nil {
		event.Failf(m.o.Sink, name, "%s", fault.Brief(err))
		return err
	}
	event.Donef(m.o.Sink, name, "%s", done)
	return nil
}

// copyPhase is everything between the quiet source and the proven target.
func (m *mover) copyPhase(ctx context.Context) error {
	return m.copyPhaseWith(ctx, "Copy to the target", m.copyAll)
}

func (m *mover) copyPhaseWith(ctx context.Context, title string, f func(context.Context) (string, error)) error {
	if err := m.step(ctx, "copy", title, f); err != nil {
		return err
	}
	return m.step(ctx, "verify", "Verify the copies", m.verify)
}
