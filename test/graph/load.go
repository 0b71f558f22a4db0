// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"context"
	"fmt"
	"maps"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// loading is how many requests are under way at once.
const loading = 16

// Load stores objects as fast as a server takes them: namespaces, owners first (their UIDs go into what they own), status
// through its subresource. All kinds must be served.
func Load(ctx context.Context, cfg *rest.Config, objs []*unstructured.Unstructured) error {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.UserAgent, cfg.WarningHandler = -1, "graph-load", rest.NoWarnings{}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	l := &loader{client: client, uids: map[string]types.UID{}}
	if err := l.namespaces(ctx, objs); err != nil {
		return err
	}
	for _, level := range levels(objs) {
		made := make([]*unstructured.Unstructured, len(level))
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(loading)
		for i, u := range level {
			g.Go(func() error {
				var err error
				made[i], err = l.store(gctx, u)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i, u := range level {
			l.uids[key(u.GetKind(), u.GetNamespace(), u.GetName())] = made[i].GetUID()
		}
	}
	return nil
}

type loader struct {
	client dynamic.Interface
	uids   map[string]types.UID
}

func key(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// Resource is the endpoint of an object's kind.
func Resource(u *unstructured.Unstructured) schema.GroupVersionResource {
	gvk := u.GroupVersionKind()
	return gvk.GroupVersion().WithResource(Kind{Kind: gvk.Kind}.Plural())
}

func (l *loader) namespaces(ctx context.Context, objs []*unstructured.Unstructured) error {
	seen := map[string]bool{"": true}
	for _, u := range objs {
		if seen[u.GetNamespace()] {
			continue
		}
		seen[u.GetNamespace()] = true
		ns := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": u.GetNamespace()}}}
		_, err := l.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(ctx, ns, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func (l *loader) store(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	u = u.DeepCopy()
	status := u.Object["status"]
	delete(u.Object, "status")
	refs := u.GetOwnerReferences()
	for i, r := range refs {
		if r.UID != "" {
			continue
		}
		refs[i].UID = l.uids[key(r.Kind, u.GetNamespace(), r.Name)]
		if refs[i].UID == "" {
			refs[i].UID = l.uids[key(r.Kind, "", r.Name)]
		}
	}
	if len(refs) > 0 {
		u.SetOwnerReferences(refs)
	}
	c := l.client.Resource(Resource(u)).Namespace(u.GetNamespace())
	made, err := c.Create(ctx, u, metav1.CreateOptions{FieldManager: "manager"})
	if err != nil {
		return nil, fmt.Errorf("create %s %s/%s: %w", u.GetKind(), u.GetNamespace(), u.GetName(), err)
	}
	if status == nil {
		return made, nil
	}
	made.Object["status"] = status
	made, err = c.UpdateStatus(ctx, made, metav1.UpdateOptions{FieldManager: "manager"})
	if err != nil {
		return nil, fmt.Errorf("update status of %s %s/%s: %w", u.GetKind(), u.GetNamespace(), u.GetName(), err)
	}
	return made, nil
}

// levels sorts objects so that owners come before what they own.
func levels(objs []*unstructured.Unstructured) [][]*unstructured.Unstructured {
	var out [][]*unstructured.Unstructured
	done := map[string]bool{}
	for left := objs; len(left) > 0; {
		var level, later []*unstructured.Unstructured
		for _, u := range left {
			if ownersDone(u, done, left) {
				level = append(level, u)
			} else {
				later = append(later, u)
			}
		}
		if len(level) == 0 { // a circle: whatever is left goes as it is
			level, later = later, nil
		}
		now := map[string]bool{}
		for _, u := range level {
			now[key(u.GetKind(), u.GetNamespace(), u.GetName())] = true
		}
		maps.Copy(done, now)
		out = append(out, level)
		left = later
	}
	return out
}

func ownersDone(u *unstructured.Unstructured, done map[string]bool, _ []*unstructured.Unstructured) bool {
	for _, r := range u.GetOwnerReferences() {
		if r.UID == "" && !done[key(r.Kind, u.GetNamespace(), r.Name)] && !done[key(r.Kind, "", r.Name)] {
			return false
		}
	}
	return true
}
