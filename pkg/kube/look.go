// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Ref names an object. It can be kept in a file.
type Ref struct {
	Group     string `json:"group,omitempty"`
	Version   string `json:"version"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// RefOf names an object that is known.
func RefOf(u *unstructured.Unstructured) Ref {
	gvk := u.GroupVersionKind()
	return Ref{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// GVK is its kind.
func (r Ref) GVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
}

// String is the object for people: "Deployment capi-system/capi-controller-manager".
func (r Ref) String() string { return objectText(r.Kind, r.Namespace, r.Name) }

// Object is an object that has nothing but the name.
func (r Ref) Object() *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(r.GVK())
	u.SetNamespace(r.Namespace)
	u.SetName(r.Name)
	return u
}

// Look finds out which of the objects are on the server, with one LIST a kind and namespace. there has their metadata alone; missing are
// those that Apply would create, those of kinds that aren't served among them. What nobody may look at is in neither.
// Namespaced objects that name no namespace are looked for in "default".
func (c *Client) Look(ctx context.Context, objs []*unstructured.Unstructured) (there []*unstructured.Unstructured, missing []Ref, err error) {
	a := &applier{Client: c, opts: ApplyOptions{Namespace: "default", Concurrency: parallel}, done: map[*unstructured.Unstructured]Applied{}}
	var served []*unstructured.Unstructured
	for _, u := range objs {
		_, err := a.mapping(ctx, u)
		switch {
		case errors.Is(err, ErrNoKind):
			missing = append(missing, RefOf(u))
		case err != nil:
			return nil, nil, err
		default:
			served = append(served, u)
		}
	}
	targets, err := a.targets(ctx, served)
	if err != nil {
		return nil, nil, err
	}
	if err := a.look(ctx, targets); err != nil {
		return nil, nil, err
	}
	for _, t := range targets {
		switch {
		case t.live != nil:
			there = append(there, t.live)
		case !t.unseen:
			missing = append(missing, RefOf(t.want))
		}
	}
	return there, missing, nil
}

// InNamespace lists the metadata of everything that a namespace holds, of all kinds that are served and can be listed, but those that
// skip says. Kinds that can't be looked at come as an error: an empty answer means that there is nothing.
func (c *Client) InNamespace(ctx context.Context, namespace string, skip func(schema.GroupKind) bool) ([]*unstructured.Unstructured, error) {
	snap, err := c.disco.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", c.explainFirst(err))
	}
	for gv, err := range snap.failed {
		return nil, fmt.Errorf("what namespace %s holds of %s can't be seen: %w", namespace, gv, err)
	}
	kinds := snap.namespaced()
	found := make([][]*unstructured.Unstructured, len(kinds))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, gvk := range kinds {
		if skip != nil && skip(gvk.GroupKind()) {
			continue
		}
		g.Go(func() error {
			var err error
			found[i], err = c.List(gctx, gvk, ListOptions{Namespace: namespace, MetadataOnly: true})
			if apierrors.IsNotFound(err) || errors.Is(err, ErrNoKind) { // its CRD went meanwhile
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// namespaced are the kinds that live in namespaces and can be listed, each in its preferred version.
func (s *snapshot) namespaced() []schema.GroupVersionKind {
	var out []schema.GroupVersionKind
	for _, group := range slices.Sorted(maps.Keys(s.versions)) {
		seen := map[string]bool{}
		for _, v := range s.versions[group] {
			gv := schema.GroupVersion{Group: group, Version: v}
			for _, kind := range slices.Sorted(maps.Keys(s.resources[gv])) {
				r := s.resources[gv][kind]
				if !seen[kind] && r.Namespaced && slices.Contains(r.Verbs, "list") {
					out = append(out, gv.WithKind(kind))
				}
				seen[kind] = true
			}
		}
	}
	return out
}
