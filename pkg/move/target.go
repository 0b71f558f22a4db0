// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// decideTarget finds controllers on the target that stand still because an earlier move left them so, or because they were
// installed to be started now.
func (m *mover) decideTarget(ctx context.Context) error {
	found, err := controllers(ctx, m.dst)
	if err != nil {
		return err
	}
	m.journal.TargetControllers = nil
	for _, d := range found {
		if n := remembered(d); n > 0 && kube.Replicas(d) == 0 {
			m.journal.TargetControllers = append(m.journal.TargetControllers, Controller{d.GetNamespace(), d.GetName(), d.GetUID(), n})
		}
	}
	return nil
}

// startTarget starts those, and waits until they and their webhooks serve.
func (m *mover) startTarget(ctx context.Context) error {
	list := m.journal.TargetControllers
	if len(list) == 0 {
		return nil
	}
	var conds []kube.Condition
	for _, d := range list {
		if err := scale(ctx, m.dst, d, d.Replicas, d.Replicas); err != nil {
			return err
		}
		conds = append(conds, m.dst.DeploymentAvailable(d.Namespace, d.Name))
	}
	if err := m.wait(ctx, "quiesce", conds...); err != nil {
		return err
	}
	configs, err := webhookConfigurations(ctx, m.dst)
	if err != nil {
		return err
	}
	configs = slices.DeleteFunc(configs, func(c *unstructured.Unstructured) bool { return !slices.ContainsFunc(hooksOf(c), aboutCAPI) })
	return m.wait(ctx, "quiesce", m.dst.WebhooksAnswer(configs)...)
}
