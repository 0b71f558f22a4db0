// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// movedBefore says of a plan that came out empty whether the target has what was asked for: then a move that was killed after its very
// last write, or one that had ended, is asked for again, and is done.
func (m *mover) movedBefore(ctx context.Context) (bool, error) {
	if m.plan == nil || len(m.plan.Objects) > 0 || len(m.o.Scope.Include) > 0 {
		return false, nil
	}
	gvk, err := capi.ClusterGVK(ctx, m.dst)
	if errors.Is(err, capi.ErrNotInstalled) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	list, err := m.dst.List(ctx, gvk, kube.ListOptions{MetadataOnly: true})
	if err != nil {
		return false, err
	}
	wanted := slices.Clone(m.o.Scope.Clusters)
	asked := 0
	for _, u := range list {
		name := types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
		wanted = slices.DeleteFunc(wanted, func(c types.NamespacedName) bool { return c == name })
		if m.o.Scope.All || slices.Contains(m.o.Scope.Namespaces, u.GetNamespace()) || slices.Contains(m.o.Scope.Clusters, name) {
			asked++
		}
	}
	if len(wanted) > 0 || asked == 0 {
		return false, nil
	}
	clusters := "the cluster"
	if asked > 1 {
		clusters = event.Count(asked, "cluster")
	}
	event.Notef(m.o.Sink, "nothing is left to move: the source has no such cluster, and the target has %s already", clusters)
	// The leases of a run that was killed are given back, where it is known to be dead.
	if release, _, err := m.lock(ctx); err == nil {
		release()
	}
	return true, nil
}
