// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// fewNamespaces is up to how many namespaces are listed one by one.
const fewNamespaces = 4

// collector reads objects by lists only, each list once.
type collector struct {
	c          *kube.Client
	opts       Options
	namespaces []string // nil means all
	done       map[listing]bool
}

type listing struct {
	gk        schema.GroupKind
	namespace string
	outline   bool
}

// listed is a list's content.
type listed struct {
	kind    Kind
	objs    []*unstructured.Unstructured
	outline bool
}

// where are the namespaces in which a kind is listed; "" is all of them.
func (c *collector) where(k Kind) []string {
	if !k.Namespaced || c.namespaces == nil || len(c.namespaces) > fewNamespaces {
		return []string{""}
	}
	return c.namespaces
}

// wants says whether an object of a list for all namespaces is in one that is looked at.
func (c *collector) wants(u *unstructured.Unstructured) bool {
	return c.namespaces == nil || u.GetNamespace() == "" || slices.Contains(c.namespaces, u.GetNamespace())
}

// read lists kinds, in parallel, and hands each list to into. A right that is missing is an error for Cluster API's kinds and a
// warning for others: nobody knows whether anything is there.
func (c *collector) read(ctx context.Context, wanted []listing, kinds Kinds, into func(listed)) error {
	var todo []listing
	for _, l := range wanted {
		if !c.done[l] && !c.done[listing{l.gk, l.namespace, false}] {
			c.done[l] = true
			todo = append(todo, l)
		}
	}
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(c.opts.Concurrency)
	for _, l := range todo {
		g.Go(func() error {
			k := kinds[l.gk]
			var objs []*unstructured.Unstructured
			err := kube.Retry(gctx, func(ctx context.Context) error {
				var err error
				objs, err = c.c.List(ctx, k.GroupVersionKind, kube.ListOptions{Namespace: l.namespace, MetadataOnly: l.outline})
				return err
			})
			if err != nil && l.outline && gctx.Err() == nil {
				event.Warnf(c.opts.Sink, "can't look for objects that belong to what is moved: %v", err)
				return nil
			}
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			into(listed{k, objs, l.outline})
			return nil
		})
	}
	return g.Wait()
}
