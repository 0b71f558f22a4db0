// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// group are targets that one LIST shows.
type group struct {
	gvr     schema.GroupVersionResource
	ns      string
	targets []*target
}

// look reads what is there already: one LIST a kind and namespace. In namespaces that were just created there is nothing to see.
func (a *applier) look(ctx context.Context, targets []*target) error {
	var groups []*group
	for _, t := range targets {
		ns := t.want.GetNamespace()
		if slices.Contains(a.fresh, ns) && ns != "" {
			continue
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.gvr == t.mapping.Resource && g.ns == ns })
		if i < 0 {
			groups = append(groups, &group{gvr: t.mapping.Resource, ns: ns})
			i = len(groups) - 1
		}
		groups[i].targets = append(groups[i].targets, t)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(a.opts.Concurrency)
	for _, gr := range groups {
		g.Go(func() error { return a.lookAt(gctx, gr) })
	}
	return g.Wait()
}

func (a *applier) lookAt(ctx context.Context, g *group) error {
	first := g.targets[0]
	// CRDs of others can be many and large, so only the metadata of all is read, and then the content of ours.
	isCRD := first.mapping.GroupVersionKind.GroupKind() == gkCRD
	full := a.opts.SkipUnchanged && !isCRD
	opts := ListOptions{Namespace: g.ns, MetadataOnly: !full}
	if len(g.targets) == 1 {
		opts.FieldSelector = "metadata.name=" + first.name()
	}
	var list []*unstructured.Unstructured
	err := retry(ctx, a.failing(first.source), func(ctx context.Context) error {
		var err error
		list, err = a.list(ctx, first.mapping, opts)
		return a.explain(err)
	})
	if errors.Is(err, ErrForbidden) { // no right to look, but perhaps to apply
		for _, t := range g.targets {
			t.unseen = true
		}
		return nil
	} else if err != nil {
		return fmt.Errorf("look for %s: %w", objectText(first.want.GetKind(), g.ns, ""), err)
	}
	byName := make(map[string]*unstructured.Unstructured, len(list))
	for _, u := range list {
		byName[u.GetName()] = u
	}
	for _, t := range g.targets {
		t.live = byName[t.name()]
		t.full = full && t.live != nil
	}
	if isCRD && a.opts.SkipUnchanged {
		return a.readContents(ctx, g.targets)
	}
	return nil
}

// readContents reads the objects whose annotation says that they may be as wanted.
func (a *applier) readContents(ctx context.Context, targets []*target) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(a.opts.Concurrency)
	for _, t := range targets {
		if t.live == nil || hashOf(t.live) != hashOf(t.want) {
			continue
		}
		g.Go(func() error {
			err := retry(gctx, a.failing(t.source), func(ctx context.Context) error {
				u, err := a.endpoint(t.mapping, t.want.GetNamespace()).Get(ctx, t.name(), getOptions)
				if err != nil {
					return a.explain(err)
				}
				t.live, t.full = u, true
				return nil
			})
			if apierrors.IsNotFound(err) { // deleted meanwhile
				t.live = nil
				return nil
			}
			return err
		})
	}
	return g.Wait()
}
