// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// RestoreOptions say what is restored where. Target and Dir are needed.
type RestoreOptions struct {
	Target *kube.Client
	// Dir is a backup, a folder of upstream's "move --to-directory", or a snapshot (.jsonl).
	Dir string
	// Decrypt decrypts the Secrets' files; nil where there is no key.
	Decrypt func([]byte) ([]byte, error)
	// AllowOrphans is as in [plan.Scope].
	AllowOrphans []string
	// AllowProvisioning, By, Confirm, Wait, LeaseTTL, Alive and Sink are as in [Options].
	AllowProvisioning bool
	By                Identity
	Confirm           func(context.Context, *plan.Plan) error
	Wait              time.Duration
	LeaseTTL          time.Duration
	Alive             func(Identity) bool
	Sink              event.Sink
}

// Restore brings the objects of a folder to a management cluster: created paused, owners first, with status; compared; and only then
// let go. Killed anywhere, it is run again. Objects that are on the target already are never overwritten.
func Restore(ctx context.Context, ro RestoreOptions) (*Report, error) {
	dir, err := readDirectory(ro.Dir, ro.Decrypt)
	if err != nil {
		return nil, err
	}
	m := newRestorer(ro)
	uid, err := m.dst.UID(ctx)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	source, target := Side{UID: dir.id, Host: ro.Dir}, Side{UID: uid, Host: m.dst.Host()}
	found, err := m.findJournal(ctx, source, target)
	if err != nil {
		return nil, err
	}
	kinds, err := plan.ReadKinds(ctx, m.dst)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	scope := plan.Scope{All: true, AllowOrphans: ro.AllowOrphans}
	m.dir = dir
	m.rebuild = func() (*plan.Plan, error) { return plan.FromObjects(copyOf(dir.objs), kinds, scope) }
	if m.plan, err = m.rebuild(); err != nil {
		return nil, err
	}
	if m.journal = found; found == nil {
		if err := m.prepareRestore(ctx, source, target, scope); err != nil {
			return nil, err
		}
	} else {
		event.Notef(ro.Sink, "going on with the restore %s, begun %s", found.ID, found.Started.Format(time.RFC3339))
	}
	r, err := m.locked(ctx, m.restorePhases)
	if r != nil {
		r.Directory = ro.Dir
	}
	return r, err
}

func newRestorer(ro RestoreOptions) *mover {
	o := Options{
		Target: ro.Target, AllowProvisioning: ro.AllowProvisioning, By: ro.By, Confirm: ro.Confirm, Wait: ro.Wait, LeaseTTL: ro.LeaseTTL,
		Alive: ro.Alive, Sink: ro.Sink, Quiesce: QuiesceScale, Scope: plan.Scope{All: true},
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.LeaseTTL == 0 {
		o.LeaseTTL = DefaultLeaseTTL
	}
	if o.By.Run == "" {
		o.By.Run = rand.String(5)
	}
	return &mover{o: o, dst: o.Target, srcWidth: newWidth(), dstWidth: newWidth(), began: time.Now(), dstBefore: o.Target.Requests(), report: &Report{}}
}

func copyOf(objs []*unstructured.Unstructured) []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, len(objs))
	for i, u := range objs {
		out[i] = u.DeepCopy()
	}
	return out
}

func (m *mover) prepareRestore(ctx context.Context, source, target Side, scope plan.Scope) error {
	var faults fault.List
	m.stable(&faults)
	served, err := m.served(ctx, &faults)
	if err != nil {
		return err
	}
	if served {
		if err := m.taken(ctx, &faults); err != nil {
			return err
		}
		if err := m.admitted(ctx, &faults); err != nil {
			return err
		}
	}
	if err := faults.Err(); err != nil {
		return fault.WithCode(fault.Refused, err)
	}
	event.Warnf(m.o.Sink, "the management cluster that these objects come from must not come back with controllers: two would manage the same clusters")
	if m.o.Confirm != nil {
		if err := m.o.Confirm(ctx, m.plan); err != nil {
			return err
		}
	}
	m.journal = &Journal{
		ID: rand.String(8), Phase: PhaseCopying, Started: time.Now().UTC().Truncate(time.Second), By: m.o.By, Source: source, Target: target,
		Scope: scope, Total: len(m.plan.Objects),
	}
	m.journal.Paused, m.journal.Held = m.toPause()
	return nil
}

func (m *mover) restorePhases(ctx context.Context) error {
	if m.journal.Phase == PhaseCopying {
		m.pausedInFiles()
		m.copies = make([]copied, len(m.plan.Objects))
		if err := m.step(ctx, "copy", "Create the objects", m.createAll); err != nil {
			return err
		}
		if err := m.step(ctx, "verify", "Verify them", m.verify); err != nil {
			return err
		}
		if err := m.enter(ctx, PhaseResuming); err != nil {
			return err
		}
	}
	if err := m.step(ctx, "resume", "Resume", m.resume); err != nil {
		return err
	}
	return deleteJournal(ctx, m.dst)
}

// pausedInFiles has the objects come paused, as if they had been paused before they were read.
func (m *mover) pausedInFiles() {
	paused := map[plan.Key]PausedObject{}
	for _, p := range m.journal.Paused {
		paused[p.Key] = p
	}
	for _, o := range m.plan.Objects {
		p, ok := paused[o.Key]
		if !ok || o.GroupKind != capi.ClusterGK() {
			continue
		}
		_ = nowPaused(o.Source, p, o.Source.GetResourceVersion())
	}
}
