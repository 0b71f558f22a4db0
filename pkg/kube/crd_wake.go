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
	began time.Time
	woken map[string]time.Time
}

// wake changes an annotation, at most once in a while.
func (w *waker) wake(ctx context.Context, c *Client, crd *unstructured.Unstructured) {
	if time.Since(w.began) < asleep || time.Since(w.woken[crd.GetName()]) < asleep || !onlyNamed(crd) {
		return
	}
	if w.woken == nil {
		w.woken = map[string]time.Time{}
	}
	w.woken[crd.GetName()] = time.Now()
	body := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, wokenAnnotation, time.Now().UTC().Format(time.RFC3339))
	// Without the right to do it waiting is all there is.
	if _, err := c.Patch(ctx, gkCRD.WithVersion("v1"), "", crd.GetName(), types.MergePatchType, body); err == nil {
		event.Notef(c.sink, "CustomResourceDefinition %s was forgotten by an API server that ended: it is to look again", crd.GetName())
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
