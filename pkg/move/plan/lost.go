// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// runningKinds are kinds of Kubernetes itself that providers make next to a cluster's objects, for control planes that are pods on the
// management cluster. They can't be moved.
func runningKinds() []schema.GroupVersionKind {
	const rbac = "rbac.authorization.k8s.io"
	return []schema.GroupVersionKind{
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		{Group: "batch", Version: "v1", Kind: "Job"},
		{Version: "v1", Kind: "Service"},
		{Version: "v1", Kind: "PersistentVolumeClaim"},
		{Version: "v1", Kind: "ServiceAccount"},
		{Group: rbac, Version: "v1", Kind: "Role"},
		{Group: rbac, Version: "v1", Kind: "RoleBinding"},
	}
}

// lost finds what the source's garbage collector will delete once its owners have moved. Kinds that can't be listed are passed over:
// it would only have been a warning.
func (b *builder) lost(ctx context.Context, p *Plan) error {
	if len(p.Objects) == 0 {
		return nil
	}
	kinds, namespaces := runningKinds(), b.from.where(Kind{Namespaced: true})
	lists := make([][]*unstructured.Unstructured, len(kinds)*len(namespaces))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(b.from.opts.Concurrency)
	for i := range lists {
		g.Go(func() error {
			lists[i], _ = b.from.list(gctx, kinds[i/len(namespaces)], namespaces[i%len(namespaces)], true)
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, list := range lists {
		b.loses(p, list)
	}
	slices.SortFunc(p.Left, func(a, c Left) int { return order(a.Key, c.Key) })
	return nil
}

// loses notes the objects of a list that only what moves owns.
func (b *builder) loses(p *Plan, list []*unstructured.Unstructured) {
	var lost []Key
	for _, u := range list {
		owner := b.movingOwner(u.GetOwnerReferences())
		if owner == nil || !b.from.wants(u) {
			continue
		}
		k := Key{u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName()}
		lost = append(lost, k)
		p.Left = append(p.Left, Left{Key: k, Why: "it runs on the source and can't be moved; owned by " + owner.key.String() + ", so it is deleted there", Lost: true})
	}
	if len(lost) > 0 {
		b.warnf("%s: owned by what moves, so deleted on the source once that is gone. It can't be moved; if it is part of a cluster (a hosted control plane), that cluster loses it", plural(lost))
	}
}

// movingOwner is an owner that moves away, if all do.
func (b *builder) movingOwner(refs []metav1.OwnerReference) (moving *node) {
	for _, r := range refs {
		o := b.byUID[r.UID]
		if o == nil || !o.selected() || o.mode == Copy {
			return nil
		}
		moving = o
	}
	return moving
}

func plural(list []Key) string {
	if len(list) == 1 {
		return list[0].String()
	}
	kind := list[0].Kind
	names := strings.ReplaceAll(some(list), kind+" ", "")
	if strings.HasSuffix(kind, "s") {
		return kind + "es " + names
	}
	return kind + "s " + names
}
