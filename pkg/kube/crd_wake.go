// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// asleep is how long a CRD may have its names accepted and not be established, before it counts as forgotten. A server takes
// milliseconds, one of several about 5 seconds.
const asleep = 10 * time.Second

// wokenAnnotation is changed so that there is a change.
const wokenAnnotation = "clusterctl.cluster.x-k8s.io/nudged-at"

// waker helps CRDs on that an API server has forgotten: one that ended between accepting the names and establishing the kind doesn't
// take it up again when it is started, because only a change of the CRD has it do so (k8s.io/apiextensions-apiserver v0.34,
// customresource_handler.go).
type waker struct {
	// seen is since when each stands still, by our clock.
	seen map[string]time.Time
}

// wake changes an annotation of one that stands still for long, at most once in a while.
func (w *waker) wake(ctx context.Context, c *Client, crd *unstructured.Unstructured) {
	name := crd.GetName()
	if !onlyNamed(crd) {
		delete(w.seen, name)
		return
	}
	if _, ok := w.seen[name]; ok && time.Since(w.seen[name]) < asleep {
		return
	} else if w.seen == nil {
		w.seen = map[string]time.Time{}
	}
	first := w.seen[name].IsZero()
	w.seen[name] = time.Now()
	if first {
		return
	}
	body := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, wokenAnnotation, time.Now().UTC().Format(time.RFC3339))
	// Without the right to do it waiting is all there is.
	if _, err := c.Patch(ctx, gkCRD.WithVersion("v1"), "", name, types.MergePatchType, body); err == nil {
		event.Notef(c.sink, "CustomResourceDefinition %s has its names for %s and isn't established: the API server is to look at it again", name, asleep)
	}
}

// onlyNamed says that the names are accepted, and that nothing else came of it.
func onlyNamed(crd *unstructured.Unstructured) bool {
	named, done := false, false
	for _, cond := range conditionsOf(crd) {
		named = named || cond.kind == "NamesAccepted" && cond.status == "True"
		done = done || cond.kind == "Established" && cond.status == "True"
	}
	return named && !done
}
