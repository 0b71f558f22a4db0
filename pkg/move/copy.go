// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// marker is the field manager under which a move creates copies whose own managers are restored later.
func (m *mover) marker() string { return "clusterctl-move-" + m.journal.ID }

// copyAll brings every object to the target: owners first, then what creating can't carry.
func (m *mover) copyAll(ctx context.Context) (string, error) {
	if err := m.lastLook(ctx); err != nil {
		return "", err
	}
	if err := m.snapshot(); err != nil {
		return "", err
	}
	return m.createAll(ctx)
}

// createAll brings the plan's objects to the target.
func (m *mover) createAll(ctx context.Context) (string, error) {
	for _, do := range []func(context.Context) error{m.findOutside, m.knownCopies, m.ensureNamespaces, m.createLevels, m.forgetFound, m.closeCircles, m.writeInventory, m.restore} {
		if err := do(ctx); err != nil {
			return "", err
		}
	}
	return event.Count(len(m.plan.Objects), "object"), nil
}

// lastLook reads the quiet source: this is what is copied. Where nothing ran that could have changed anything, the plan's look is
// good enough: whatever was changed since is noticed when it is released.
func (m *mover) lastLook(ctx context.Context) error {
	if !m.fresh {
		if _, err := m.again(ctx); err != nil {
			return err
		}
	}
	var faults fault.List
	for _, o := range m.plan.Objects {
		if o.Deleting {
			faults.Add(fault.Refusedf("%s is being deleted", o.Key))
		}
	}
	m.copies = make([]copied, len(m.plan.Objects))
	m.journal.Total = len(m.plan.Objects)
	return faults.Err()
}

// knownCopies takes the UIDs of the copies that an earlier run wrote down.
func (m *mover) knownCopies(ctx context.Context) error {
	if m.journal.Inventory == 0 {
		return nil
	}
	list, err := m.readInventory(ctx)
	if err != nil {
		return err
	}
	by := make(map[plan.Key]entry, len(list))
	for _, e := range list {
		by[e.Key] = e
	}
	for i, o := range m.plan.Objects {
		e, ok := by[o.Key]
		if !ok || e.UID != o.UID {
			return fmt.Errorf("%s on the source isn't among what was copied: something changed while the move stood still", o.Key)
		}
		m.copies[i].uid, m.copies[i].found = e.Copy, e.Found
	}
	return nil
}

// createLevels creates the copies. An owner's copy is there before what it owns.
func (m *mover) createLevels(ctx context.Context) error {
	p := m.progress("copy", len(m.plan.Objects))
	defer p.stop()
	for begin := 0; begin < len(m.plan.Objects); {
		end := begin
		for end < len(m.plan.Objects) && m.plan.Objects[end].Level == m.plan.Objects[begin].Level {
			end++
		}
		err := m.dstWidth.each(ctx, end-begin, func(ctx context.Context, i int) error {
			if m.copies[begin+i].uid != "" {
				p.add()
				return nil
			}
			if err := m.create(ctx, begin+i); err != nil {
				return err
			}
			p.add()
			return nil
		})
		if err != nil {
			return err
		}
		begin = end
	}
	return nil
}

func (m *mover) create(ctx context.Context, i int) error {
	o := m.plan.Objects[i]
	owners, err := m.ownersOf(o, false)
	if err != nil {
		return err
	}
	body, err := bodyOf(o, owners, m.isHeld(o.Key))
	if err != nil {
		return err
	}
	t := kube.Target{GVK: o.GVK(), Namespace: o.Namespace, Name: o.Name, FieldManager: ownershipOf(o, m.marker()).creator}
	stored, err := m.dst.SendCreate(ctx, t, body)
	switch {
	case err == nil:
		m.copies[i].uid, m.copies[i].version = stored.UID, stored.ResourceVersion
		return nil
	case apierrors.IsAlreadyExists(err):
		return m.takeExisting(ctx, i)
	}
	return fmt.Errorf("target: %w", err)
}

// takeExisting decides about an object that is on the target already: one that we created before we were killed (or whose
// creation succeeded though its answer was lost) is ours; a shared one stays as it is there; anything else is not ours to touch.
func (m *mover) takeExisting(ctx context.Context, i int) error {
	o := m.plan.Objects[i]
	live, err := m.dst.Get(ctx, o.GVK(), o.Namespace, o.Name)
	if err != nil {
		if apierrors.IsNotFound(err) { // gone again: create it
			return apierrors.NewConflict(schema.GroupResource{Group: o.Group, Resource: o.Kind}, o.Name, err)
		}
		return fmt.Errorf("target: %w", err)
	}
	why := m.notOurs(i, live)
	switch {
	case why == "":
		m.copies[i].uid, m.copies[i].version = live.GetUID(), live.GetResourceVersion()
	case o.Mode == plan.Copy:
		m.copies[i].uid, m.copies[i].found = live.GetUID(), true
	default:
		return fault.Refusedf("%s is on the target already, and it isn't this move's copy: %s", o.Key, why)
	}
	return nil
}

// forgetFound takes objects that were on the target before off the list of what is paused there: a pause on them is somebody else's.
func (m *mover) forgetFound(context.Context) error {
	found := map[plan.Key]bool{}
	for i, c := range m.copies {
		if c.found {
			found[m.plan.Objects[i].Key] = true
		}
	}
	m.journal.Held = slices.DeleteFunc(m.journal.Held, func(h PausedObject) bool { return found[h.Key] })
	return nil
}

// closeCircles adds the owners that came later than what they own.
func (m *mover) closeCircles(ctx context.Context) error {
	var late []int
	for i, o := range m.plan.Objects {
		if len(o.Late) > 0 && !m.copies[i].found {
			late = append(late, i)
		}
	}
	return m.dstWidth.each(ctx, len(late), func(ctx context.Context, n int) error {
		i := late[n]
		o := m.plan.Objects[i]
		owners, err := m.ownersOf(o, true)
		if err != nil {
			return err
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": m.copies[i].uid, "ownerReferences": owners}})
		if err != nil {
			return err
		}
		stored, err := m.dst.SendPatch(ctx, targetOf(o, ownershipOf(o, m.marker()).creator), types.MergePatchType, patch)
		if err == nil {
			m.copies[i].version = stored.ResourceVersion
		}
		return err
	})
}

func targetOf(o *plan.Object, manager string) kube.Target {
	return kube.Target{GVK: o.GVK(), Namespace: o.Namespace, Name: o.Name, FieldManager: manager}
}

// isHeld says whether a copy gets the pause as an annotation.
func (m *mover) isHeld(k plan.Key) bool {
	if m.held == nil {
		m.held = map[plan.Key]bool{}
		for _, h := range m.journal.Held {
			m.held[h.Key] = true
		}
	}
	return m.held[k]
}

// findOutside looks on the target for owners that aren't part of the move.
func (m *mover) findOutside(ctx context.Context) error {
	m.outside = map[string]types.UID{}
	m.isHeld(plan.Key{}) // made before many ask at once
	for _, o := range m.plan.Objects {
		for _, ref := range o.Outside {
			key := outsideKey(o, ref)
			if _, done := m.outside[key]; done {
				continue
			}
			uid, err := m.uidOnTarget(ctx, o, ref)
			if err != nil {
				return err
			}
			if uid != "" {
				m.outside[key] = uid
			}
		}
	}
	return nil
}

func outsideKey(o *plan.Object, ref metav1.OwnerReference) string {
	return o.Namespace + "/" + ref.APIVersion + "/" + ref.Kind + "/" + ref.Name
}
