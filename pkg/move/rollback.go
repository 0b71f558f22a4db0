// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// Rollback undoes a move that hasn't begun to release: the source gets its pauses, replicas and webhooks back, and the copies that
// the move made, and only those, go from the target. It is refused (fault.Refused) where there is no move, or where it is too late.
func Rollback(ctx context.Context, o Options) (*Report, error) {
	m, err := newMover(&o)
	if err != nil {
		return nil, err
	}
	source, target, err := m.identify(ctx)
	if err != nil {
		return nil, err
	}
	if m.journal, err = m.findJournal(ctx, source, target); err != nil {
		return nil, err
	}
	if m.journal == nil {
		return nil, fault.Refusedf("there is no move to roll back between these two clusters")
	}
	if !m.journal.BeforeRelease() {
		err := fault.Refusedf("the move %s of %s can't be rolled back: it is in phase %s, some objects may be on the target only", m.journal.ID, m.journal.Started.Format(time.RFC3339), m.journal.Phase)
		return nil, fault.WithHint(err, "finish it with --resume; afterwards a move the other way round brings everything back")
	}
	return m.locked(ctx, func(ctx context.Context) error {
		if !m.journal.BeforeRelease() {
			return fault.Refusedf("the move went on meanwhile: it is in phase %s", m.journal.Phase)
		}
		return m.step(ctx, "rollback", "Roll back", m.rollback)
	})
}

func (m *mover) rollback(ctx context.Context) (string, error) {
	j := m.journal
	copied := j.Phase != PhaseQuiescing
	if copied && j.Phase != PhaseRollingBack {
		if err := m.enter(ctx, PhaseRollingBack); err != nil {
			return "", err
		}
	}
	removed := 0
	if copied {
		var err error
		if removed, err = m.removeCopies(ctx); err != nil {
			return "", err
		}
	}
	for _, d := range j.TargetControllers {
		if err := scale(ctx, m.dst, d, 0, d.Replicas); err != nil {
			return "", fmt.Errorf("target: %w", err)
		}
	}
	// The pauses go while the webhooks let the move pass, which they may not have done yet when it was killed.
	if err := m.exemptAll(ctx); err != nil {
		return "", err
	}
	if err := m.unpauseSource(ctx); err != nil {
		return "", err
	}
	if err := m.giveBack(ctx, true); err != nil {
		return "", err
	}
	if err := m.dropSnapshot(ctx); err != nil { // while the journal still names it
		return "", err
	}
	if err := m.deleteInventory(ctx); err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	if err := deleteJournal(ctx, m.dst); err != nil {
		return "", fmt.Errorf("target: %w", err)
	}
	if err := deleteJournal(ctx, m.o.Source); err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	m.report.RolledBack = true
	return fmt.Sprintf("the source is as it was, %d copies are gone from the target", removed), nil
}

// unpauseSource takes the pauses back while the webhooks still let the move pass and no controller runs.
func (m *mover) unpauseSource(ctx context.Context) error {
	return m.srcWidth.each(ctx, len(m.journal.Paused), func(ctx context.Context, i int) error {
		err := m.journal.Paused[i].unpause(ctx, m.src)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		return nil
	})
}

// removeCopies deletes what the move made on the target, leaves first.
func (m *mover) removeCopies(ctx context.Context) (int, error) {
	if err := m.pass(); err != nil {
		return 0, err
	}
	if _, err := m.again(ctx); err != nil {
		return 0, err
	}
	if m.copies == nil || len(m.copies) != len(m.plan.Objects) {
		m.copies = make([]copied, len(m.plan.Objects))
	}
	if err := m.copiesToRemove(ctx); err != nil {
		return 0, err
	}
	return m.removeLevels(ctx)
}

// removeLevels deletes the copies that m.copies tells of, leaves first.
func (m *mover) removeLevels(ctx context.Context) (int, error) {
	removed := 0
	for end := len(m.plan.Objects); end > 0; {
		begin := end
		for begin > 0 && m.plan.Objects[begin-1].Level == m.plan.Objects[end-1].Level {
			begin--
		}
		err := m.dstWidth.each(ctx, end-begin, func(ctx context.Context, i int) error { return m.removeCopy(ctx, begin+i) })
		if err != nil {
			return 0, err
		}
		end = begin
	}
	for _, c := range m.copies {
		if c.uid != "" && !c.found {
			removed++
		}
	}
	return removed, nil
}

// copiesToRemove finds the copies on the target and leaves their UIDs in m.copies. The owners' come first: the owner references
// of what they own are part of the evidence.
func (m *mover) copiesToRemove(ctx context.Context) error {
	if err := m.findOutside(ctx); err != nil {
		return err
	}
	for i := range m.copies {
		m.copies[i] = copied{}
	}
	if err := m.knownCopies(ctx); err != nil {
		return err
	}
	live := make([]*unstructured.Unstructured, len(m.plan.Objects))
	err := m.eachOnTarget(ctx, func(i int, u *unstructured.Unstructured) { live[i] = u })
	if err != nil {
		return err
	}
	for i, u := range live {
		c := &m.copies[i]
		if u == nil || c.found {
			c.uid = ""
			continue
		}
		if why := m.notOurs(i, u); why != "" {
			if m.plan.Objects[i].Mode == plan.Move {
				event.Warnf(m.o.Sink, "%s stays on the target: it isn't this move's copy (%s)", m.plan.Objects[i].Key, why)
			}
			*c = copied{found: true}
			continue
		}
		c.uid, c.version = u.GetUID(), u.GetResourceVersion()
	}
	return nil
}

func (m *mover) removeCopy(ctx context.Context, i int) error {
	o, c := m.plan.Objects[i], &m.copies[i]
	if c.uid == "" || c.found {
		return nil
	}
	state := c.version
	for range 5 {
		err := remove(ctx, m.dst, targetOf(o, ""), c.uid, state, true)
		if !errors.Is(err, errChanged) {
			if err != nil {
				return fmt.Errorf("target: %w", err)
			}
			return nil
		}
		live, err := m.dst.Get(ctx, o.GVK(), o.Namespace, o.Name)
		if apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		if live.GetUID() != c.uid {
			return nil
		}
		state = live.GetResourceVersion()
	}
	return fmt.Errorf("the copy of %s on the target is changed faster than it can be removed", o.Key)
}
