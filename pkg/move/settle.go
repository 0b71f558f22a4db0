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
	began := time.Now()
	seen := kube.ConditionFunc("the pause", func(ctx context.Context) (bool, string, error) {
		missing, err := m.pauseMissing(ctx)
		if err != nil || missing == "" {
			return err == nil, "", err
		}
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

// pauseMissing names an object whose controller has a Paused condition but hasn't set it.
func (m *mover) pauseMissing(ctx context.Context) (string, error) {
	p, err := m.again(ctx)
	if err != nil {
		return "", err
	}
	for _, o := range p.Objects {
		if o.Mode != plan.Move || !isCAPIGroup(o.Group) {
			continue
		}
		if c := capi.FindCondition(capi.Conditions(o.Source), capi.ConditionPaused); c != nil && c.Status == "False" && (o.PausedByCluster || capi.Paused(o.Source)) {
			return o.String(), nil
		}
	}
	return "", nil
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
