// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// prepareRestore finds everything that stands in the way, before the first write, and decides what is paused.
func (m *mover) prepareRestore(ctx context.Context) error {
	event.Startf(m.o.Sink, "preflight", "Preflight")
	if err := m.persist(ctx, "preflight", m.restorePreflight); err != nil {
		event.Failf(m.o.Sink, "preflight", "%v", err)
		return err
	}
	event.Donef(m.o.Sink, "preflight", "the target takes %s", event.Count(len(m.plan.Objects)-m.alreadyThere(), "object"))
	m.tellAboutFiles()
	return m.decideTarget(ctx)
}

func (m *mover) restorePreflight(ctx context.Context) error {
	var faults fault.List
	if err := m.lacking(ctx, "target", m.dst, m.targetRights(ctx), &faults); err != nil {
		return err
	}
	if m.dir.man != nil && m.dir.man.Providers != nil {
		there, err := providersOf(ctx, m.dst)
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		m.compareProviders(there, m.dir.man.Providers, &faults)
	}
	if err := m.lookAtTarget(ctx, &faults); err != nil {
		return err
	}
	if err := m.gates(ctx, &faults); err != nil {
		return err
	}
	m.decidePauses()
	held, err := m.targetStandsStill(ctx)
	if err != nil {
		return err
	}
	if !held { // else its webhooks can't answer yet
		if err := m.admitted(ctx, &faults); err != nil {
			return err
		}
	}
	if err := faults.Err(); err != nil {
		return fault.WithCode(fault.Refused, err)
	}
	return nil
}

// lookAtTarget finds what is on the target before this restore: with the same content it is done, with other content it is in the way.
// What came since the restore began is most likely its own; creating it again finds out.
func (m *mover) lookAtTarget(ctx context.Context, faults *fault.List) error {
	if err := m.findOutside(ctx); err != nil {
		return err
	}
	live := make([]*unstructured.Unstructured, len(m.plan.Objects))
	if err := m.eachOnTarget(ctx, func(i int, u *unstructured.Unstructured) { live[i] = u }); err != nil {
		return err
	}
	m.copies, m.onTarget = make([]copied, len(m.plan.Objects)), map[plan.Key]bool{}
	differ := 0
	for i, o := range m.plan.Objects { // owners come before what they own
		u := live[i]
		if u == nil {
			continue
		}
		created := u.GetCreationTimestamp()
		if m.journal.begun() && !created.Before(&m.journal.created) {
			continue
		}
		at := m.differs(i, u, true)
		if at == "" {
			m.copies[i] = copied{uid: u.GetUID(), version: u.GetResourceVersion(), found: true}
			m.onTarget[o.Key] = true
			continue
		}
		if differ++; differ <= manyFaults {
			faults.Add(fault.WithHint(fault.Refusedf("%s is on the target already, and differs from the files at %s", o.Key, at),
				"nothing is ever overwritten: delete it there, or leave it out with --exclude"))
		}
	}
	if differ > manyFaults {
		faults.Add(fault.Refusedf("and %d more are on the target already", differ-manyFaults))
	}
	return nil
}

// alreadyThere is how many objects need nothing.
func (m *mover) alreadyThere() int {
	n := 0
	for _, c := range m.copies {
		if c.found {
			n++
		}
	}
	return n
}

// tellAboutFiles says what people must know before they say yes.
func (m *mover) tellAboutFiles() {
	from := "the management cluster that these objects come from"
	if man := m.dir.man; man != nil {
		if man.Source.UID == m.journal.Target.UID {
			from = ""
		}
		if man.Source.Host != "" && from != "" {
			from += fmt.Sprintf(" (%s, read %s)", man.Source.Host, man.Made.Format("2006-01-02 15:04:05Z07:00"))
		}
	}
	if from != "" {
		event.Warnf(m.o.Sink, "%s must never run controllers for these clusters again: two would manage the same machines, and take each other's apart. Be sure that it is gone, or that its controllers are at 0, before you go on", from)
	}
	for _, name := range m.dir.ignored {
		event.Warnf(m.o.Sink, "%s in %s isn't part of the backup, and is left out", name, m.dir.path)
	}
	paused := 0
	for _, o := range m.plan.Objects {
		if o.Deleting {
			event.Warnf(m.o.Sink, "%s was being deleted when it was read: it comes back as one that isn't", o.Key)
		}
		if o.GroupKind == capi.ClusterGK() && capi.Paused(o.Source) {
			paused++
		}
	}
	if paused > 0 {
		event.Notef(m.o.Sink, "%d clusters are paused in the files, and stay so", paused)
	}
}
