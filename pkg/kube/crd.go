// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// crd is what a CustomResourceDefinition says about names and versions.
type crd struct {
	name, group, plural, kind string
	namespaced                bool
	// versions are those served; storage is the one that objects are kept in.
	versions []string
	storage  string
}

func (d crd) groupKind() schema.GroupKind { return schema.GroupKind{Group: d.group, Kind: d.kind} }

func crdOf(u *unstructured.Unstructured) crd {
	get := func(path ...string) string {
		s, _, _ := unstructured.NestedString(u.Object, append([]string{"spec"}, path...)...)
		return s
	}
	d := crd{name: u.GetName(), group: get("group"), plural: get("names", "plural"), kind: get("names", "kind"), namespaced: get("scope") == "Namespaced"}
	versions, _, _ := unstructured.NestedSlice(u.Object, "spec", "versions")
	for _, v := range versions {
		m, _ := v.(map[string]any)
		if m["served"] == true {
			d.versions = append(d.versions, str(m["name"]))
		}
		if m["storage"] == true {
			d.storage = str(m["name"])
		}
	}
	return d
}

// awaitServed waits until the server serves the kinds of CRDs in all their versions, and learns them. It asks for
// one small document a group version, which holds only kinds that are Established.
func (c *Client) awaitServed(ctx context.Context, step string, crds []crd) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, RetryLimit)
		defer cancel()
	}
	open, err := c.unknownVersions(ctx, crds)
	if err != nil {
		return err
	}
	const pause, patience = 50 * time.Millisecond, time.Second
	asked, reason := time.Now(), "not served yet"
	w := waker{}
	for {
		missing, last := c.learn(ctx, open)
		if missing == nil {
			return nil
		}
		if ctx.Err() != nil {
			err := fmt.Errorf("wait for CustomResourceDefinition %s: %s: %w", missing.name, reason, context.Cause(ctx))
			return fault.WithCode(fault.CodeOf(context.Cause(ctx)), err)
		}
		if time.Since(asked) > patience {
			asked = time.Now()
			why, err := c.whyNotServed(ctx, *missing, last, &w)
			if err != nil {
				return err
			}
			if why != reason {
				reason = why
				event.Progressf(c.sink, step, "CustomResourceDefinition %s: %s", missing.name, reason)
			}
		}
		sleep(ctx, pause)
	}
}

// unknownVersions sorts the versions of CRDs that aren't known to be served by group version, and forgets those that aren't any more.
func (c *Client) unknownVersions(ctx context.Context, crds []crd) (map[schema.GroupVersion][]crd, error) {
	snap, err := c.disco.forgetUnserved(ctx, crds)
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", c.explain(err))
	}
	open := map[schema.GroupVersion][]crd{}
	for _, d := range crds {
		for _, v := range d.versions {
			if snap.mapping(d.groupKind(), []string{v}) == nil {
				gv := schema.GroupVersion{Group: d.group, Version: v}
				open[gv] = append(open[gv], d)
			}
		}
	}
	return open, nil
}

// learn asks for the open group versions one after the other, takes over those that are complete, and stops at a CRD
// that isn't served yet: the others come up meanwhile, and aren't asked for in vain.
func (c *Client) learn(ctx context.Context, open map[schema.GroupVersion][]crd) (missing *crd, last error) {
	for _, gv := range slices.SortedFunc(maps.Keys(open), func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }) {
		list, err := askVersion(ctx, c.raw, gv)
		if err != nil {
			return &open[gv][0], c.explain(err)
		}
		if i := slices.IndexFunc(open[gv], func(d crd) bool { return !contains(list, d) }); i >= 0 {
			return &open[gv][i], nil
		}
		c.disco.learn(list)
		delete(open, gv)
	}
	return nil, nil
}

func contains(list *metav1.APIResourceList, d crd) bool {
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == d.plural && r.Kind == d.kind })
}

// whyNotServed looks at a CRD's conditions. Names that another CRD has are an error: they don't heal.
func (c *Client) whyNotServed(ctx context.Context, d crd, last error, w *waker) (reason string, fatal error) {
	if last != nil && !apierrors.IsNotFound(last) {
		if Classify(last) == ClassFatal && ctx.Err() == nil {
			return "", fmt.Errorf("wait for CustomResourceDefinition %s: %w", d.name, last)
		}
		return last.Error(), nil
	}
	u, err := c.Get(ctx, gkCRD.WithVersion("v1"), "", d.name)
	if err != nil {
		return err.Error(), nil //nolint:nilerr // it is the reason why the kind isn't served yet
	}
	for _, cond := range conditionsOf(u) {
		if cond.kind == "NamesAccepted" && cond.status == "False" {
			return "", fmt.Errorf("CustomResourceDefinition %s isn't accepted: %s", d.name, cond.text())
		}
	}
	w.wake(ctx, c, u)
	_, reason, _ = established(ctx, u)
	return orDefault(reason, "established, but not served yet"), nil
}

// learn adds newly served kinds to what is known.
func (d *discoverer) learn(list *metav1.APIResourceList) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.snap != nil {
		d.snap = d.snap.with(list)
	}
}

// forgetUnserved takes out the versions that CRDs no longer serve.
func (d *discoverer) forgetUnserved(ctx context.Context, crds []crd) (*snapshot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	snap, err := d.load(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range crds {
		snap = snap.without(c)
	}
	d.snap = snap
	return snap, nil
}
