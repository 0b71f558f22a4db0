// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// ApplyOptions say how a set is applied.
type ApplyOptions struct {
	// Sink gets the progress, Step is the step it belongs to.
	Sink event.Sink
	Step string
	// DryRun asks the API server for its opinion and changes nothing. What depends on a namespace or CRD
	// that isn't there yet can't be asked for and is left out of the result.
	DryRun bool
}

// Apply makes a cluster's objects exist on a management cluster, server-side. Run again it changes what has changed and
// calls the rest unchanged. In this order:
//
//   - every kind must be served, else one error of class fault.Refused lists those that aren't and the providers that are missing
//   - a Cluster of that name that is being deleted, or that is another one, is refused
//   - the namespace is created if it isn't there
//   - all objects pass a server-side dry run, so that a faulty one leaves nothing half-written
//   - the objects are applied; what can heal, such as a webhook that doesn't answer yet, is tried again until ctx's deadline
//
// The result of an error before the first write is empty.
func Apply(ctx context.Context, c *kube.Client, s *Set, opts ApplyOptions) (kube.ApplyResult, error) {
	p, err := prepare(ctx, c, s)
	if err != nil {
		return kube.ApplyResult{}, err
	}
	if err := checkExisting(ctx, c, s); err != nil {
		return kube.ApplyResult{}, err
	}
	if !opts.DryRun && !p.namespaces[s.Namespace] {
		if err := ensureNamespace(ctx, c, s.Namespace, opts.Sink); err != nil {
			return kube.ApplyResult{}, err
		}
	}
	checked, err := p.dryRun(ctx, c, opts)
	if err != nil {
		return kube.ApplyResult{}, fault.WithHint(fmt.Errorf("check the objects of Cluster %s: %w", s.Key(), err), "none of them was written; correct them and run the same command again")
	}
	if opts.DryRun {
		return checked, nil
	}
	var all kube.ApplyResult
	for _, objs := range [][]*unstructured.Unstructured{p.first, p.later} {
		result, err := c.Apply(ctx, objs, p.options(opts))
		all.Objects = append(all.Objects, result.Objects...)
		if err != nil {
			return all, fault.WithHint(fmt.Errorf("apply the objects of Cluster %s: %w", s.Key(), err), "what was written is kept; the same command again goes on")
		}
	}
	return all, nil
}

func (p *prepared) options(opts ApplyOptions) kube.ApplyOptions {
	return kube.ApplyOptions{SkipUnchanged: true, Step: opts.Step, Origin: func(u *unstructured.Unstructured) string { return p.origins[u] }}
}

// dryRun asks the server about all objects at once. It can't be asked about objects in a namespace that isn't there.
func (p *prepared) dryRun(ctx context.Context, c *kube.Client, opts ApplyOptions) (kube.ApplyResult, error) {
	var objs []*unstructured.Unstructured
	there := map[string]bool{"": true}
	for _, u := range append(append([]*unstructured.Unstructured{}, p.first...), p.later...) {
		ns := u.GetNamespace()
		if _, known := there[ns]; !known {
			_, err := c.Get(ctx, namespaceGVK(), "", ns)
			if err != nil && !isNotFound(err) {
				return kube.ApplyResult{}, err
			}
			there[ns] = err == nil || p.namespaces[ns]
		}
		if there[ns] {
			objs = append(objs, u)
		}
	}
	options := p.options(opts)
	options.DryRun = true
	return c.Apply(ctx, objs, options)
}
