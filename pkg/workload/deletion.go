// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// deletion follows the order in which a cluster is taken apart: Machines, control plane, infrastructure, the Cluster itself.
// What isn't being deleted yet waits for its turn; it is named with the Cluster.
func (w *walk) deletion(ctx context.Context) error {
	if w.state.Paused {
		b := dying(w.cluster)
		w.add(&b, w.cluster)
		return nil
	}
	waiting, err := w.dyingMachines(ctx)
	for _, ref := range []*capi.Ref{w.state.ControlPlaneRef, w.state.InfrastructureRef} {
		if ref == nil || err != nil {
			continue
		}
		var u *unstructured.Unstructured
		if u, err = w.peek(ctx, *ref); u != nil {
			waiting = append(waiting, w.bury(u, "")...)
		}
	}
	b := dying(w.cluster)
	if len(waiting) > 0 {
		b.Message = oneLine(b.Message) + "; not begun: " + listed(waiting)
	}
	w.add(&b, w.cluster)
	return err
}

// dyingMachines looks into the Machines that are left and returns those whose deletion hasn't begun.
func (w *walk) dyingMachines(ctx context.Context) ([]string, error) {
	machines, err := listOf(ctx, w.c, capi.MachineGK(), w.state)
	var waiting []string
	looked := 0
	for _, u := range machines {
		m := capi.ReadMachine(u)
		if m.Deleting && looked == maxMachines {
			continue
		}
		if ref := m.InfrastructureRef; ref != nil && m.Deleting {
			looked++
			below, err := w.peek(ctx, *ref)
			if err != nil {
				return waiting, err
			}
			if below != nil && below.GetDeletionTimestamp() != nil {
				w.bury(below, "")
			}
		}
		waiting = append(waiting, w.bury(u, m.Deletion)...)
	}
	return waiting, err
}

// bury adds an object that is being deleted, or paused, to the findings; why may say more than the object's conditions.
// Of another object it returns the name.
func (w *walk) bury(u *unstructured.Unstructured, why string) []string {
	if u.GetDeletionTimestamp() == nil && !capi.Paused(u) {
		return []string{u.GetKind() + " " + u.GetName()}
	}
	b := dying(u)
	if why != "" && b.Hint == "" {
		b.Condition, b.Reason, b.Message = capi.ConditionDeleting, "", joinFinalizers(why, u)
	}
	w.add(&b, u)
	return nil
}

func listed(names []string) string {
	if len(names) > maxBlockers {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxBlockers], ", "), len(names)-maxBlockers)
	}
	return strings.Join(names, ", ")
}

// peek reads a referenced object; nil without an error if it is gone.
func (w *walk) peek(ctx context.Context, ref capi.Ref) (*unstructured.Unstructured, error) {
	u, err := getRef(ctx, w.c, ref)
	if isNotFound(err) || isNoKind(err) {
		return nil, nil
	}
	return u, err
}

// dying says what keeps an object that is to go away: it is paused, its controller says why, or only its finalizers are known.
func dying(u *unstructured.Unstructured) Blocker {
	b := about(u)
	if t := u.GetDeletionTimestamp(); t != nil {
		b.Since = t.Time
	}
	if hint := capi.HowToUnpause(u); hint != "" {
		b.Condition, b.Hint = capi.ConditionPaused, hint
		b.Message = joinFinalizers("it is paused, so its controllers leave it alone", u)
		return b
	}
	conditions := capi.Conditions(u)
	c := capi.FindCondition(conditions, capi.ConditionDeleting)
	if c == nil || c.Status != "True" {
		c = worst(conditions)
	}
	if c == nil || (c.Message == "" && c.Type != capi.ConditionDeleting) {
		b.Message = joinFinalizers("it is being deleted", u)
		return b
	}
	b.Condition, b.Reason, b.Message = c.Type, c.Reason, joinFinalizers(c.Message, u)
	return b
}

func joinFinalizers(message string, u *unstructured.Unstructured) string {
	finalizers := u.GetFinalizers()
	if len(finalizers) == 0 {
		return oneLine(message)
	}
	kept := fmt.Sprintf("kept by finalizer %s", strings.Join(finalizers, ", "))
	if message == "" {
		return kept
	}
	return oneLine(message) + "; " + kept
}
