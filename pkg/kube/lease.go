// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrLeaseHeld says that somebody else holds a lease; the error names the holder.
var ErrLeaseHeld = errors.New("lease is held")

var gvkLease = schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}

// microTime is how Leases write times.
const microTime = "2006-01-02T15:04:05.000000Z07:00"

// AcquireLease takes a Lease for a holder, or renews one that the holder has: nobody else gets it for ttl (at least a second).
// A Lease whose holder didn't renew it in time is taken over. The error matches ErrLeaseHeld where another one holds it.
func (c *Client) AcquireLease(ctx context.Context, ns, name, holder string, ttl time.Duration) error {
	return Retry(ctx, func(ctx context.Context) error {
		lease, err := c.Get(ctx, gvkLease, ns, name)
		if apierrors.IsNotFound(err) {
			lease = &unstructured.Unstructured{Object: map[string]any{}}
			lease.SetGroupVersionKind(gvkLease)
			lease.SetNamespace(ns)
			lease.SetName(name)
			setHolder(lease, holder, ttl)
			_, err = c.Create(ctx, lease)
			if apierrors.IsAlreadyExists(err) { // somebody was faster: look again
				return apierrors.NewConflict(schema.GroupResource{Group: gvkLease.Group, Resource: "leases"}, name, err)
			}
			return err
		} else if err != nil {
			return err
		}
		if by, since, held := holderOf(lease); held && by != holder {
			return fmt.Errorf("%w: %s/%s by %s, renewed %s ago", ErrLeaseHeld, ns, name, by, time.Since(since).Round(time.Second))
		}
		setHolder(lease, holder, ttl)
		_, err = c.Update(ctx, lease)
		return err
	})
}

// ReleaseLease deletes a Lease if the holder has it; a Lease that is gone, or somebody else's, is left as it is.
func (c *Client) ReleaseLease(ctx context.Context, ns, name, holder string) error {
	return Retry(ctx, func(ctx context.Context) error {
		lease, err := c.Get(ctx, gvkLease, ns, name)
		if apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return err
		}
		if by, _, _ := unstructured.NestedString(lease.Object, "spec", "holderIdentity"); by != holder {
			return nil
		}
		uid, version := lease.GetUID(), lease.GetResourceVersion()
		err = c.Delete(ctx, gvkLease, ns, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

func setHolder(lease *unstructured.Unstructured, holder string, ttl time.Duration) {
	now := time.Now().UTC().Format(microTime)
	spec, _, _ := unstructured.NestedMap(lease.Object, "spec")
	if spec == nil {
		spec = map[string]any{}
	}
	if spec["holderIdentity"] != holder {
		spec["acquireTime"] = now
	}
	spec["holderIdentity"], spec["renewTime"] = holder, now
	spec["leaseDurationSeconds"] = int64(max(ttl, time.Second) / time.Second)
	lease.Object["spec"] = spec
}

// holderOf says who holds a lease at this moment, by the clock of this host.
func holderOf(lease *unstructured.Unstructured) (holder string, since time.Time, held bool) {
	holder, _, _ = unstructured.NestedString(lease.Object, "spec", "holderIdentity")
	seconds, _, _ := unstructured.NestedInt64(lease.Object, "spec", "leaseDurationSeconds")
	text, _, _ := unstructured.NestedString(lease.Object, "spec", "renewTime")
	since, err := time.Parse(time.RFC3339Nano, text)
	if holder == "" || err != nil {
		return holder, since, false
	}
	return holder, since, time.Since(since) < time.Duration(seconds)*time.Second
}
