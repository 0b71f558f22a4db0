// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// RestoreOptions say what is restored where. Target and Dir are needed.
type RestoreOptions struct {
	// Target is the management cluster that gets the objects.
	Target *kube.Client
	// Dir is a backup, a folder of upstream's "move --to-directory", or a move's snapshot (.jsonl).
	Dir string
	// Decrypt decrypts the files of Secrets; nil where there is no key.
	Decrypt func([]byte) ([]byte, error)
	// Exclude and AllowOrphans are as in [plan.Scope].
	Exclude, AllowOrphans []string
	// Part is as in [Options].
	Part bool
	// By, Confirm, Wait, LeaseTTL, Alive and Sink are as in [Options].
	By       Identity
	Confirm  func(context.Context, *plan.Plan) error
	Wait     time.Duration
	LeaseTTL time.Duration
	Alive    func(Identity) bool
	Sink     event.Sink
}

// Restore brings the objects of a folder to a management cluster: created paused, owners first, with status and field managers;
// compared; and only then let go. A pause that stands in the files stays.
//
// Killed anywhere, it is run again. What is on the target with the same content is done; with other content it is never overwritten,
// and nothing is begun (fault.Refused). After an error that can't heal, what was created is removed again.
func Restore(ctx context.Context, ro RestoreOptions) (*Report, error) {
	m, err := newRestore(ctx, ro)
	if err != nil {
		return nil, err
	}
	switch {
	case !m.journal.begun():
		if err := m.prepareRestore(ctx); err != nil {
			return nil, err
		}
		if m.alreadyThere() == len(m.plan.Objects) {
			event.Notef(ro.Sink, "everything that %s holds is on the target already", ro.Dir)
			m.journal = nil
			m.sum()
			return m.report, nil
		}
		if ro.Confirm != nil {
			if err := ro.Confirm(ctx, m.plan); err != nil {
				return nil, err
			}
		}
	case m.journal.Phase == PhaseRollingBack:
		return nil, fault.WithHint(fault.Refusedf("the restore %s of %s is being undone", m.journal.ID, m.journal.Started.Format(time.RFC3339)), "finish that first: the same command with --rollback")
	default:
		began := *m.journal
		return m.locked(ctx, func(ctx context.Context) error {
			event.Notef(ro.Sink, "going on with the restore %s, begun %s by %s", began.ID, began.Started.Format(time.RFC3339), began.By)
			return m.restorePhases(ctx)
		})
	}
	return m.locked(ctx, m.restorePhases)
}

// PreviewRestore makes the plan of a restore and proves it like Restore does, and changes nothing. With faults, the plan comes with the
// error. Without a target, only the files are read.
func PreviewRestore(ctx context.Context, ro RestoreOptions) (*plan.Plan, error) {
	if ro.Target == nil {
		return planFilesAlone(ro)
	}
	m, err := newRestore(ctx, ro)
	if err != nil {
		return nil, err
	}
	if m.journal.begun() {
		return m.plan, fault.WithHint(fault.Refusedf("the restore %s, begun %s by %s, isn't finished", m.journal.ID, m.journal.Started.Format(time.RFC3339), m.journal.By),
			"finish it first with the same command without --dry-run, or undo it with --rollback")
	}
	return m.plan, m.prepareRestore(ctx)
}

// RollbackRestore removes what a restore that isn't finished has created. It is refused (fault.Refused) where there is none, or where
// clusters go on already.
func RollbackRestore(ctx context.Context, ro RestoreOptions) (*Report, error) {
	m, err := newRestore(ctx, ro)
	if err != nil {
		return nil, err
	}
	if !m.journal.begun() {
		return nil, fault.Refusedf("there is no restore of %s to roll back on %s", ro.Dir, m.dst.Host())
	}
	if !m.journal.BeforeRelease() {
		return nil, fault.WithHint(fault.Refusedf("the restore %s can't be rolled back: it is in phase %s, clusters go on already", m.journal.ID, m.journal.Phase), "finish it: the same command without --rollback")
	}
	return m.locked(ctx, func(ctx context.Context) error {
		if !m.journal.BeforeRelease() {
			return fault.Refusedf("the restore went on meanwhile: it is in phase %s", m.journal.Phase)
		}
		m.pausedInFiles()
		return m.step(ctx, "rollback", "Roll back", m.undoRestore)
	})
}

// newRestore reads the files and finds out how far a restore of them is. Where none was begun, the journal is a fresh one.
func newRestore(ctx context.Context, ro RestoreOptions) (*mover, error) {
	dir, err := readDirectory(ro.Dir, ro.Decrypt)
	if err != nil {
		return nil, err
	}
	m := &mover{
		o: Options{
			Target: ro.Target, By: ro.By, Wait: ro.Wait, LeaseTTL: ro.LeaseTTL, Alive: ro.Alive, Sink: ro.Sink, Quiesce: QuiesceScale, Part: ro.Part,
			Scope: plan.Scope{All: true, Include: kindsIn(dir.objs), Exclude: ro.Exclude, AllowOrphans: ro.AllowOrphans},
		},
		dst: ro.Target, srcWidth: newWidth(), dstWidth: newWidth(), began: time.Now(), dstBefore: ro.Target.Requests(), dir: dir,
		report: &Report{Directory: ro.Dir},
	}
	if m.o.Wait == 0 {
		m.o.Wait = DefaultWait
	}
	if m.o.LeaseTTL == 0 {
		m.o.LeaseTTL = DefaultLeaseTTL
	}
	if m.o.By.Run == "" {
		m.o.By.Run = rand.String(5)
	}
	source, target := Side{UID: dir.id, Host: ro.Dir}, Side{Host: m.dst.Host()}
	if target.UID, err = m.dst.UID(ctx); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if m.journal, err = m.findJournal(ctx, source, target); err != nil {
		return nil, err
	}
	if m.journal == nil {
		m.journal = &Journal{
			ID: rand.String(8), Phase: PhaseCopying, Started: time.Now().UTC().Truncate(time.Second), By: m.o.By, Source: source, Target: target,
			Scope: plan.Scope{All: true, Exclude: ro.Exclude, AllowOrphans: ro.AllowOrphans},
		}
	}
	m.o.Scope.Exclude, m.o.Scope.AllowOrphans = m.journal.Scope.Exclude, m.journal.Scope.AllowOrphans // what it was begun with
	if m.plan, err = m.planFiles(ctx); err != nil {
		return nil, err
	}
	m.journal.Total = len(m.plan.Objects)
	return m, nil
}

// restorePhases goes through those that are left.
func (m *mover) restorePhases(ctx context.Context) error {
	if m.journal.Phase == PhaseCopying {
		err := m.restoreObjects(ctx)
		if err != nil && ctx.Err() == nil && !mayHeal(err) {
			return m.undone(ctx, err, m.undoRestore)
		}
		if err != nil {
			return err
		}
		if err := m.enter(ctx, PhaseResuming); err != nil {
			return err
		}
	}
	if err := m.step(ctx, "resume", "Resume", m.resume); err != nil {
		return err
	}
	for _, d := range m.journal.TargetControllers {
		if err := scale(ctx, m.dst, d, d.Replicas, 0); err != nil {
			return fmt.Errorf("target: %w", err)
		}
	}
	return deleteJournal(ctx, m.dst)
}

// restoreObjects is everything between the journal and the proven target.
func (m *mover) restoreObjects(ctx context.Context) error {
	if m.copies == nil { // another run began
		var faults fault.List
		if err := m.lookAtTarget(ctx, &faults); err != nil {
			return err
		}
		if err := faults.Err(); err != nil {
			return err
		}
	}
	m.pausedInFiles()
	if len(m.journal.TargetControllers) > 0 {
		start := func(ctx context.Context) (string, error) {
			return event.Count(len(m.journal.TargetControllers), "controller"), m.startTarget(ctx)
		}
		if err := m.step(ctx, "quiesce", "Start the target's controllers", start); err != nil {
			return err
		}
	}
	return m.copyPhaseWith(ctx, "Create the objects", m.createAll)
}

// undoRestore removes what the restore created, leaves first, and nothing else.
func (m *mover) undoRestore(ctx context.Context) (string, error) {
	if m.journal.Phase != PhaseRollingBack {
		if err := m.enter(ctx, PhaseRollingBack); err != nil {
			return "", err
		}
	}
	m.copies = make([]copied, len(m.plan.Objects))
	if err := m.copiesToRemove(ctx); err != nil {
		return "", err
	}
	removed, err := m.removeLevels(ctx)
	if err != nil {
		return "", err
	}
	for _, d := range m.journal.TargetControllers {
		if err := scale(ctx, m.dst, d, 0, d.Replicas); err != nil {
			return "", fmt.Errorf("target: %w", err)
		}
	}
	if err := deleteJournal(ctx, m.dst); err != nil {
		return "", fmt.Errorf("target: %w", err)
	}
	m.report.RolledBack = true
	return event.Count(removed, "object") + " removed from the target again", nil
}

// fromFiles says whether a journal is about files instead of a source.
func (j *Journal) fromFiles() bool { return strings.HasPrefix(j.Source.UID, filesID) }
