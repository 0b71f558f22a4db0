// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// runningKinds are kinds of Kubernetes itself that providers make next to a cluster's objects, for control planes that are pods on the
// management cluster. They can't be moved.
func runningKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		{Version: "v1", Kind: "Service"},
		{Version: "v1", Kind: "PersistentVolumeClaim"},
	}
}

// lost finds what the source's garbage collector will delete once its owners have moved.
func (b *builder) lost(ctx context.Context, p *Plan) error {
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(b.from.opts.Concurrency)
	for _, gvk := range runningKinds() {
		for _, ns := range b.from.where(Kind{Namespaced: true}) {
			g.Go(func() error {
				list, err := b.from.c.List(gctx, gvk, kube.ListOptions{Namespace: ns, MetadataOnly: true})
				if err != nil {
					return nil //nolint:nilerr // it would only have been a warning
				}
				mu.Lock()
				defer mu.Unlock()
				for _, u := range list {
					for _, r := range u.GetOwnerReferences() {
						owner := b.byUID[r.UID]
						if owner == nil || !owner.selected() || owner.mode == Copy {
							continue
						}
						k := Key{gvk.GroupKind(), u.GetNamespace(), u.GetName()}
						p.Left = append(p.Left, Left{Key: k, Why: fmt.Sprintf("it runs on the source; owned by %s, so it is deleted there", owner.key), Lost: true})
						p.Warnings = append(p.Warnings, fmt.Sprintf("%s runs on the source and is owned by %s: it can't be moved, and is deleted there once its owner has moved", k, owner.key))
					}
				}
				return nil
			})
		}
	}
	err := g.Wait()
	slices.SortFunc(p.Left, func(a, c Left) int { return order(a.Key, c.Key) })
	slices.Sort(p.Warnings)
	return err
}
