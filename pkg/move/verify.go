// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

const (
	// fewNamespaces is up to how many namespaces are listed one by one rather than all at once.
	fewNamespaces = 4
	parallelLists = 4
	// manyFaults is how many objects an error names.
	manyFaults = 10
)

// verify reads the target again and compares every copy with what was read on the source. Nothing was deleted up to here.
func (m *mover) verify(ctx context.Context) (string, error) {
	seen := make([]bool, len(m.plan.Objects))
	var faults fault.List
	err := m.eachOnTarget(ctx, func(i int, live *unstructured.Unstructured) {
		seen[i] = true
		o, c := m.plan.Objects[i], &m.copies[i]
		if c.found {
			return
		}
		if live.GetUID() != c.uid {
			faults.Add(fmt.Errorf("%s on the target isn't the copy any more: somebody made it anew", o.Key))
			return
		}
		c.version = live.GetResourceVersion()
		at := m.differs(i, live, true)
		if at == "" && o.HasStatus && len(statusOf(live)) == 0 {
			at = "status"
		}
		if at != "" {
			faults.Add(fmt.Errorf("the copy of %s differs at %s", o.Key, at))
		}
	})
	if err != nil {
		return "", err
	}
	for i, ok := range seen {
		if !ok {
			faults.Add(fmt.Errorf("the copy of %s isn't on the target", m.plan.Objects[i].Key))
		}
	}
	if n := len(faults.Faults); n > manyFaults {
		faults.Faults = append(faults.Faults[:manyFaults], fmt.Errorf("and %d more", n-manyFaults))
	}
	if err := faults.Err(); err != nil {
		return "", err
	}
	if err := m.scaledBack(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d copies equal their sources, every owner is there", len(seen)), nil
}

func statusOf(u *unstructured.Unstructured) map[string]any {
	s, _ := u.Object["status"].(map[string]any)
	return s
}

// eachOnTarget lists the target's objects of the plan's kinds and calls f, one at a time, for those that the plan has.
func (m *mover) eachOnTarget(ctx context.Context, f func(i int, live *unstructured.Unstructured)) error {
	return m.eachListed(ctx, false, f)
}

// eachOnTargetMeta is eachOnTarget with nothing but metadata.
func (m *mover) eachOnTargetMeta(ctx context.Context, f func(i int, live *unstructured.Unstructured)) error {
	return m.eachListed(ctx, true, f)
}

func (m *mover) eachListed(ctx context.Context, onlyMeta bool, f func(i int, live *unstructured.Unstructured)) error {
	at := make(map[plan.Key]int, len(m.plan.Objects))
	for i, o := range m.plan.Objects {
		at[o.Key] = i
	}
	results := make(chan []*unstructured.Unstructured)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for list := range results {
			for _, u := range list {
				k := plan.Key{GroupKind: u.GroupVersionKind().GroupKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
				if i, ok := at[k]; ok {
					f(i, u)
				}
			}
		}
	}()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelLists)
	for _, l := range m.listings() {
		g.Go(func() error {
			return kube.Retry(gctx, func(ctx context.Context) error {
				list, err := m.dst.List(ctx, l.gvk, kube.ListOptions{Namespace: l.namespace, MetadataOnly: onlyMeta})
				if err != nil {
					return fmt.Errorf("target: %w", err)
				}
				results <- list
				return nil
			})
		})
	}
	err := g.Wait()
	close(results)
	<-done
	return err
}

type listing struct {
	gvk       schema.GroupVersionKind
	namespace string
}

// listings are the lists that together hold the plan's objects: those of its kinds, in the namespaces in which they are.
func (m *mover) listings() []listing {
	in := map[schema.GroupVersionKind]map[string]bool{}
	for _, o := range m.plan.Objects {
		if in[o.GVK()] == nil {
			in[o.GVK()] = map[string]bool{}
		}
		in[o.GVK()][o.Namespace] = true
	}
	var out []listing
	for _, gvk := range m.plan.Kinds {
		if len(in[gvk]) > fewNamespaces {
			out = append(out, listing{gvk, ""})
			continue
		}
		for ns := range in[gvk] {
			out = append(out, listing{gvk, ns})
		}
	}
	return out
}

// first joins the first few names, for messages.
func first(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
