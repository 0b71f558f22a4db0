// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

const (
	// blockAnnotation is how a provider holds a move up, also in answer to the pause.
	// Source: Cluster API's book, "clusterctl provider contract", section Move.
	blockAnnotation = "clusterctl.cluster.x-k8s.io/block-move"
	waitInterval    = 500 * time.Millisecond
	// pauseGrace is how long controllers that are scaled down anyway get to see the pause, so that they can block the move.
	pauseGrace = 10 * time.Second
)

// settle waits until controllers that say so have seen the pause, and until nobody blocks the move any more. Where no controller
// runs there is nobody to wait for.
func (m *mover) settle(ctx context.Context) error {
	j := m.journal
	if j.Quiesce == QuiesceScale && len(j.Controllers) == 0 {
		if m.fresh && !slices.ContainsFunc(m.plan.Objects, func(o *plan.Object) bool { return blocks(o.Source) }) {
			return nil
		}
		return m.wait(ctx, "quiesce", m.unblocked())
	}
	if _, err := m.again(ctx); err != nil {
		return err
	}
	began := time.Now()
	open := m.unseen(m.plan.Objects)
	seen := kube.ConditionFunc("the pause", func(ctx context.Context) (bool, string, error) {
		var err error
		if open, err = m.stillUnseen(ctx, open); err != nil || len(open) == 0 {
			return err == nil, "", err
		}
		missing := open[0].String()
		if j.Quiesce == QuiesceScale && time.Since(began) > pauseGrace {
			return true, "", nil
		}
		return false, missing + " isn't seen to be paused by its controller", nil
	})
	if err := m.wait(ctx, "quiesce", seen); err != nil {
		return err
	}
	return m.wait(ctx, "quiesce", m.unblocked())
}

// unseen are the objects whose controllers have a Paused condition but haven't set it.
func (m *mover) unseen(list []*plan.Object) []*plan.Object {
	var out []*plan.Object
	for _, o := range list {
		if o.Mode != plan.Move || !isCAPIGroup(o.Group) || !o.PausedByCluster && !capi.Paused(o.Source) {
			continue
		}
		if c := capi.FindCondition(capi.Conditions(o.Source), capi.ConditionPaused); c != nil && c.Status == "False" {
			out = append(out, o)
		}
	}
	return out
}

// stillUnseen reads the kinds of those again.
func (m *mover) stillUnseen(ctx context.Context, open []*plan.Object) ([]*plan.Object, error) {
	if len(open) == 0 {
		return nil, nil
	}
	by := make(map[plan.Key]*plan.Object, len(open))
	lists := map[listing]bool{}
	for _, o := range open {
		by[o.Key] = o
		lists[listing{o.GVK(), o.Namespace}] = true
	}
	for l := range lists {
		objs, err := m.src.List(ctx, l.gvk, kube.ListOptions{Namespace: l.namespace})
		if err != nil {
			return open, err
		}
		for _, u := range objs {
			if o := by[plan.Key{GroupKind: l.gvk.GroupKind(), Namespace: u.GetNamespace(), Name: u.GetName()}]; o != nil {
				o.Source = u
			}
		}
	}
	return m.unseen(open), nil
}

// unblocked waits until no object of the move has the annotation that blocks it.
func (m *mover) unblocked() kube.Condition {
	return kube.ConditionFunc("block-move", func(ctx context.Context) (bool, string, error) {
		p, err := m.again(ctx)
		if err != nil {
			return false, "", err
		}
		var blocked []string
		for _, o := range p.Objects {
			if blocks(o.Source) {
				blocked = append(blocked, o.String())
			}
		}
		if len(blocked) == 0 {
			return true, "", nil
		}
		return false, fmt.Sprintf("%s: annotation %s, which its provider has to take off", strings.Join(blocked[:min(len(blocked), 3)], ", "), blockAnnotation), nil
	})
}

func blocks(u *unstructured.Unstructured) bool {
	_, ok := u.GetAnnotations()[blockAnnotation]
	return ok
}

// again reads the source's objects anew.
func (m *mover) again(ctx context.Context) (*plan.Plan, error) {
	p, err := plan.Build(ctx, m.src, m.journal.Scope, plan.Options{})
	if err == nil {
		m.plan = p
	}
	return p, err
}
