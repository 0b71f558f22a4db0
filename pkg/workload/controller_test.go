// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// undertaker plays the controllers during a deletion: of a Cluster with a deletion timestamp the Machines go
// first, then the infrastructure, then the Cluster's own finalizer. Paused objects stay.
type undertaker struct {
	c  *kube.Client
	ns string
}

// work starts an undertaker that takes one object away at every step; it ends with the test.
func work(t *testing.T, ns string, step time.Duration) {
	t.Helper()
	u := undertaker{c: client(t, "undertaker"), ns: ns}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := u.step(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("undertaker: %v", err)
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(step):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func (u undertaker) step(ctx context.Context) error {
	clusters, err := u.list(ctx, capi.GroupCore, "v1beta2", capi.KindCluster)
	if err != nil {
		return err
	}
	for _, c := range clusters {
		if c.GetDeletionTimestamp() == nil || capi.Paused(c) {
			continue
		}
		machines, err1 := u.list(ctx, capi.GroupCore, "v1beta2", capi.KindMachine)
		ponds, err2 := u.list(ctx, capi.GroupInfrastructure, "v1", "PondCluster")
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		next := c
		for _, o := range append(ponds, machines...) {
			if owners := o.GetOwnerReferences(); len(owners) > 0 && owners[0].UID == c.GetUID() {
				next = o
			}
		}
		if !capi.Paused(next) {
			if err := u.drop(ctx, next); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u undertaker) list(ctx context.Context, group, version, kind string) ([]*unstructured.Unstructured, error) {
	gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
	return u.c.List(ctx, gvk, kube.ListOptions{Namespace: u.ns})
}

func (u undertaker) drop(ctx context.Context, o *unstructured.Unstructured) error {
	if o.GetDeletionTimestamp() == nil {
		if err := u.c.Delete(ctx, o.GroupVersionKind(), u.ns, o.GetName(), metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	_, err := u.c.Patch(ctx, o.GroupVersionKind(), u.ns, o.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if isNotFound(err) {
		return nil
	}
	return err
}
