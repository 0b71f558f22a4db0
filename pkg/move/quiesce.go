// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// errStandstill says that the source can't be made to stand still.
var errStandstill = errors.New("the source doesn't stand still")

// quiesce makes the source stand still. What it will change is in the journal before it changes anything.
func (m *mover) quiesce(ctx context.Context) (string, error) {
	if err := m.decide(ctx); err != nil {
		return "", err
	}
	for _, do := range []func(context.Context) error{m.exemptAll, m.pause, m.settle, m.checkWebhooks, m.scaleDown, m.disarmAll, m.startTarget} {
		if err := do(ctx); err != nil {
			return "", err
		}
	}
	return m.quietText(), nil
}

func (m *mover) quietText() string {
	j := m.journal
	text := event.Count(len(j.Paused), "cluster") + " paused"
	if n := len(j.Controllers); n > 0 {
		text += ", " + event.Count(n, "controller") + " at 0"
	}
	if n := len(j.Webhooks); n > 0 {
		text += fmt.Sprintf(", %d webhook configurations let only this move pass", n)
	}
	if n := len(j.TargetControllers); n > 0 {
		text += ", " + event.Count(n, "controller") + " of the target started"
	}
	return text
}

// decide writes down what will be changed, once: a move that goes on must not take its own changes for how things were.
func (m *mover) decide(ctx context.Context) error {
	j := m.journal
	if j.User != "" || m.plan == nil && len(j.Paused)+len(j.Controllers)+len(j.Webhooks) > 0 {
		return nil // decided already
	}
	planned := m.plan != nil
	if !planned { // begun, but killed before this was written
		var err error
		if m.plan, err = plan.Build(ctx, m.src, j.Scope, plan.Options{Sink: m.o.Sink}); err != nil {
			return err
		}
	}
	j.Paused, j.Held = m.toPause()
	if j.Quiesce == QuiesceScale {
		found, err := controllers(ctx, m.src)
		if err != nil {
			return err
		}
		j.Controllers = nil
		m.fresh = planned
		for _, d := range found {
			if n := kube.Replicas(d); n > 0 {
				j.Controllers = append(j.Controllers, Controller{d.GetNamespace(), d.GetName(), d.GetUID(), n})
				m.fresh = false
			}
		}
		if len(found) > 0 {
			if err := m.decideWebhooks(ctx); err != nil {
				return err
			}
		}
	}
	if err := m.decideTarget(ctx); err != nil {
		return err
	}
	if j.User == "" {
		j.User = "nobody" // marks that this is decided
	}
	return m.save(ctx)
}

// decideWebhooks finds the webhooks whose servers go down with the controllers, and who may pass them.
func (m *mover) decideWebhooks(ctx context.Context) error {
	j := m.journal
	var err error
	if j.Webhooks, err = capiWebhooks(ctx, m.src); err != nil || len(j.Webhooks) == 0 {
		return err
	}
	known, err := knowsConditions(ctx, m.src, j.ID)
	if err != nil {
		return err
	}
	if known {
		if err := m.decideUser(ctx); err != nil {
			return err
		}
	}
	if j.User != "" {
		return nil
	}
	for i, w := range j.Webhooks {
		cfg, err := m.src.Get(ctx, gvkWebhooks(w.Kind), "", w.Name)
		if err != nil {
			return err
		}
		if j.Webhooks[i].Saved, err = json.Marshal(cfg.Object["webhooks"]); err != nil {
			return err
		}
	}
	return nil
}

// decideUser takes a user that nobody else is, if we may impersonate one that may do what we may; else ourselves.
func (m *mover) decideUser(ctx context.Context) error {
	j := m.journal
	me, groups, err := m.src.WhoAmI(ctx)
	if err != nil {
		return err
	}
	user := "clusterctl:move:" + j.ID
	groups = slices.DeleteFunc(groups, func(g string) bool { return g == "system:authenticated" })
	rights := []kube.Right{{Verb: "impersonate", Resource: "users", Name: user}}
	for _, g := range groups {
		rights = append(rights, kube.Right{Verb: "impersonate", Resource: "groups", Name: g})
	}
	denied, err := m.src.Denied(ctx, rights)
	if err != nil {
		return err
	}
	if len(denied) == 0 && len(groups) > 0 {
		as, err := m.src.As(user, groups...)
		if err != nil {
			return err
		}
		if denied, err = as.Denied(ctx, m.sourceRights(ctx)); err == nil && len(denied) == 0 {
			j.User, j.Impersonate, j.Groups = user, true, groups
			return nil
		}
	}
	j.User = me
	return nil
}

// scaleDown takes the source's controllers to zero and waits until nothing of them runs.
func (m *mover) scaleDown(ctx context.Context) error {
	j := m.journal
	if j.Quiesce != QuiesceScale || len(j.Controllers) == 0 {
		return nil
	}
	err := m.srcWidth.each(ctx, len(j.Controllers), func(ctx context.Context, i int) error {
		return scale(ctx, m.src, j.Controllers[i], 0, j.Controllers[i].Replicas)
	})
	if err != nil {
		return err
	}
	var conds []kube.Condition
	for _, d := range j.Controllers {
		conds = append(conds, gone(m.src, d))
	}
	return m.wait(ctx, "quiesce", conds...)
}

// wait waits for conditions of the quiesce phase. That they aren't met in time is no reason to wait for ever.
func (m *mover) wait(ctx context.Context, step string, conds ...kube.Condition) error {
	within, stop := context.WithTimeout(ctx, m.o.Wait)
	defer stop()
	err := kube.Wait(within, m.o.Sink, step, waitInterval, conds...)
	if err != nil && ctx.Err() == nil && fault.CodeOf(err) == fault.Timeout {
		return fmt.Errorf("%w: %w", errStandstill, err)
	}
	return err
}

// exemptAll has the source's webhooks let the move pass, and takes the connection that passes. Until the controllers are down that
// changes nothing for anybody else.
func (m *mover) exemptAll(ctx context.Context) error {
	if err := m.disarmIfDown(ctx); err != nil {
		return err
	}
	for _, w := range m.journal.Webhooks {
		if w.Saved != nil {
			continue
		}
		if err := exempt(ctx, m.o.Source, w, m.journal.ID, m.journal.User); err != nil {
			return err
		}
	}
	if err := m.findStripped(ctx); err != nil {
		return err
	}
	if err := m.disarmIfDown(ctx); err != nil {
		return err
	}
	return m.pass()
}

// disarmIfDown takes the webhooks out in which no exception lasts, where an earlier run took their servers down and was killed before that:
// nothing gets past them any more, not even a pause or its end.
func (m *mover) disarmIfDown(ctx context.Context) error {
	if !slices.ContainsFunc(m.journal.Webhooks, func(w Webhook) bool { return w.Saved != nil }) {
		return nil
	}
	for _, d := range m.journal.Controllers {
		u, err := m.o.Source.Get(ctx, gvkDeployment(), d.Namespace, d.Name)
		if apierrors.IsNotFound(err) || err == nil && u.GetUID() == d.UID && kube.Replicas(u) == 0 {
			return m.disarmAll(ctx)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// disarmAll takes out the webhooks in which no exception lasts, once nobody serves them any more.
func (m *mover) disarmAll(ctx context.Context) error {
	for _, w := range m.journal.Webhooks {
		if w.Saved == nil {
			continue
		}
		if err := disarm(ctx, m.o.Source, w); err != nil {
			return err
		}
	}
	return nil
}

// pass takes the connection that the source's webhooks let pass.
func (m *mover) pass() error {
	if !m.journal.Impersonate {
		return nil
	}
	var err error
	m.src, err = m.o.Source.As(m.journal.User, m.journal.Groups...)
	return err
}

// scaledBack looks whether somebody has started the source's controllers again. Once that is put right; what they may have done
// shows when the objects are released.
func (m *mover) scaledBack(ctx context.Context) error {
	var again []Controller
	for _, d := range m.journal.Controllers {
		u, err := m.o.Source.Get(ctx, gvkDeployment(), d.Namespace, d.Name)
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return err
		}
		if n := kube.Replicas(u); n != 0 {
			event.Warnf(m.o.Sink, "somebody (%s) scaled Deployment %s/%s of the source to %d while the move stands on it; scaling it to 0 again", lastWriter(u), d.Namespace, d.Name, n)
			again = append(again, d)
		}
	}
	if len(again) == 0 {
		return nil
	}
	m.scaledTwice++
	if m.scaledTwice > 1 {
		return fault.WithHint(fmt.Errorf("%w: Deployment %s/%s is scaled up again and again", errStandstill, again[0].Namespace, again[0].Name),
			"stop what looks after it (an operator, GitOps, an autoscaler) for the time of the move")
	}
	return m.scaleDown(ctx)
}
