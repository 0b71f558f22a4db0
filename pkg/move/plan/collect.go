// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
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

// listing is one list: of a kind in a namespace, in all if that is empty; outline is without content.
type listing struct {
	gk        schema.GroupKind
	namespace string
	outline   bool
}

// listed is a list's content, or why it couldn't be read.
type listed struct {
	listing
	objs []*unstructured.Unstructured
	err  error
}

// where are the namespaces in which a kind is listed; "" is all of them.
func (c *collector) where(k Kind) []string {
	if !k.Namespaced || c.namespaces == nil || len(c.namespaces) > fewNamespaces {
		return []string{""}
	}
	return c.namespaces
}

// listingOf is the list that has an object's content.
func (c *collector) listingOf(n *node) listing {
	l := listing{gk: n.key.GroupKind, namespace: n.key.Namespace}
	if (c.namespaces == nil || len(c.namespaces) > fewNamespaces) && c.wantsNamespace(l.namespace) {
		l.namespace = ""
	}
	return l
}

// wants says whether an object of a list for all namespaces is in one that is looked at.
func (c *collector) wants(u *unstructured.Unstructured) bool {
	return u.GetNamespace() == "" || c.wantsNamespace(u.GetNamespace())
}

func (c *collector) wantsNamespace(ns string) bool {
	return c.namespaces == nil || slices.Contains(c.namespaces, ns)
}

// read lists kinds, in parallel. A right that is missing is an error for Cluster API's kinds, and all such errors come at once; of other
// kinds nobody knows whether anything is there, so the error is in the list.
func (c *collector) read(ctx context.Context, wanted []listing, kinds Kinds) ([]listed, error) {
	var lists []listed
	for _, l := range wanted {
		if !c.done[l] && !c.done[listing{l.gk, l.namespace, false}] {
			c.done[l] = true
			lists = append(lists, listed{listing: l})
		}
	}
	var mu sync.Mutex
	read := 0
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(c.opts.Concurrency)
	for i := range lists {
		g.Go(func() error {
			l := &lists[i]
			l.objs, l.err = c.list(gctx, kinds[l.gk].GroupVersionKind, l.namespace, l.outline)
			if l.err != nil && !errors.Is(l.err, kube.ErrForbidden) {
				return l.err
			}
			mu.Lock()
			defer mu.Unlock()
			read++
			event.Progressf(c.opts.Sink, "plan", "%d of %d kinds read", read, len(lists))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var faults fault.List
	for i := range lists {
		l := &lists[i]
		everywhere := l.gk == capi.ClusterGK() && l.namespace == "" && c.namespaces != nil // more than the move is about
		if l.err != nil && !everywhere && (kinds[l.gk].CAPI() || kinds[l.gk].CRD == "") {
			faults.Add(l.err)
		}
	}
	return lists, faults.Err()
}

func (c *collector) list(ctx context.Context, gvk schema.GroupVersionKind, ns string, outline bool) (objs []*unstructured.Unstructured, err error) {
	err = kube.Retry(ctx, func(ctx context.Context) error {
		objs, err = c.c.List(ctx, gvk, kube.ListOptions{Namespace: ns, MetadataOnly: outline})
		return err
	})
	if errors.Is(err, kube.ErrNoKind) {
		return nil, nil // its definition went away meanwhile, and its objects with it
	}
	if err != nil {
		return nil, fmt.Errorf("look what there is to move: %w", err)
	}
	return objs, nil
}
