// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// errMoved says that nothing is left to move, because the target has it.
var errMoved = errors.New("moved before")

// movedBefore says of a plan in which there is nothing whether the target has what was asked for: then a move that was killed after its
// very last write, or one that had ended, is asked for again, and is done (errMoved). Else the error of the plan stands.
func (m *mover) movedBefore(ctx context.Context, planned error) error {
	if len(m.o.Scope.Include) > 0 || !onlyNothing(planned) {
		return planned
	}
	gvk, err := capi.ClusterGVK(ctx, m.dst)
	if err != nil {
		return planned
	}
	list, err := m.dst.List(ctx, gvk, kube.ListOptions{MetadataOnly: true})
	if err != nil {
		return planned
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
		return planned
	}
	clusters := "the cluster"
	if asked > 1 {
		clusters = event.Count(asked, "cluster")
	}
	return &movedError{fault.Refusedf("nothing is left to move: the source has no such cluster, and the target has %s already", clusters)}
}

// movedError is errMoved in words for people, of whom a dry run tells it as an error.
type movedError struct{ error }

func (e *movedError) Is(target error) bool { return target == errMoved }

func (e *movedError) Unwrap() error { return e.error }

// onlyNothing says whether nothing else is wrong with a plan than that what was asked for isn't there.
func onlyNothing(err error) bool {
	var all fault.List
	all.Add(err)
	return !slices.ContainsFunc(all.Faults, func(f error) bool { return !errors.Is(f, plan.ErrNothing) })
}
