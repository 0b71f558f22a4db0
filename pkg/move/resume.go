// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// resume takes back on the target the pauses that the move made, and no others.
func (m *mover) resume(ctx context.Context) (string, error) {
	list := slices.Concat(m.journal.Held, m.journal.Paused) // what a Cluster needs goes on before it
	err := m.dstWidth.each(ctx, len(list), func(ctx context.Context, i int) error {
		err := list[i].unpause(ctx, m.dst)
		if apierrors.IsNotFound(err) { // deleted on the target since
			return nil
		}
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	found, err := controllers(ctx, m.dst)
	if err != nil {
		return "", fmt.Errorf("target: %w", err)
	}
	if !slices.ContainsFunc(found, func(d *unstructured.Unstructured) bool { return kube.Replicas(d) > 0 }) {
		return m.goOn(), nil
	}
	return m.reconciling(ctx)
}

// reconciling waits until the target's controllers say that they have taken the Clusters up. That they don't in time is worth a
// warning, not a failure: everything is there.
func (m *mover) reconciling(ctx context.Context) (string, error) {
	within, stop := context.WithTimeout(ctx, m.o.Wait)
	defer stop()
	var names []string
	cond := kube.ConditionFunc("the clusters", func(ctx context.Context) (bool, string, error) {
		gvk, err := capi.ClusterGVK(ctx, m.dst)
		if err != nil {
			return false, "", err
		}
		all, err := m.dst.List(ctx, gvk, kube.ListOptions{})
		if err != nil {
			return false, "", err
		}
		names = nil
		for _, u := range all {
			c := capi.FindCondition(capi.Conditions(u), capi.ConditionPaused)
			if m.wasPaused(u) && c != nil && c.Status == "True" {
				names = append(names, u.GetNamespace()+"/"+u.GetName())
			}
		}
		if len(names) == 0 {
			return true, "", nil
		}
		return false, first(names, 3) + " not taken up yet", nil
	})
	err := kube.Wait(within, m.o.Sink, "resume", waitInterval, cond)
	switch {
	case err == nil:
		return fmt.Sprintf("the target's controllers have taken %s up", event.Count(len(m.journal.Paused), "cluster")), nil
	case ctx.Err() == nil && fault.CodeOf(err) == fault.Timeout:
		event.Warnf(m.o.Sink, "the target's controllers haven't taken up %s after %s: look at their logs", strings.Join(names[:min(3, len(names))], ", "), m.o.Wait)
		return m.goOn(), nil
	}
	return "", err
}

func (m *mover) wasPaused(u *unstructured.Unstructured) bool {
	return slices.ContainsFunc(m.journal.Paused, func(p PausedObject) bool {
		return p.GroupKind == capi.ClusterGK() && p.Namespace == u.GetNamespace() && p.Name == u.GetName()
	})
}

// goOn says how many clusters aren't paused any more.
func (m *mover) goOn() string {
	if n := len(m.journal.Paused); n != 1 {
		return fmt.Sprintf("%d clusters go on", n)
	}
	return "1 cluster goes on"
}
