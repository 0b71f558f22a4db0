// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

var getOptions = metav1.GetOptions{}

// Get reads one object; apierrors.IsNotFound holds for its error where there is none.
func (c *Client) Get(ctx context.Context, gvk schema.GroupVersionKind, ns, name string) (*unstructured.Unstructured, error) {
	ri, err := c.resource(ctx, gvk, ns)
	if err != nil {
		return nil, err
	}
	u, err := ri.Get(ctx, name, getOptions)
	return u, c.explainf(err, "get", gvk, ns, name)
}

// Create stores a new object; apierrors.IsAlreadyExists holds for its error where there is one of that name.
func (c *Client) Create(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ri, err := c.resource(ctx, obj.GroupVersionKind(), obj.GetNamespace())
	if err != nil {
		return nil, err
	}
	u, err := ri.Create(ctx, obj, metav1.CreateOptions{FieldManager: FieldManager})
	return u, c.explainf(err, "create", obj.GroupVersionKind(), obj.GetNamespace(), obj.GetName())
}

// CreateDryRun asks the server what Create would do, admission included; nothing is stored.
func (c *Client) CreateDryRun(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ri, err := c.resource(ctx, obj.GroupVersionKind(), obj.GetNamespace())
	if err != nil {
		return nil, err
	}
	u, err := ri.Create(ctx, obj, metav1.CreateOptions{FieldManager: FieldManager, DryRun: dryRunAll})
	return u, c.explainf(err, "create (dry run)", obj.GroupVersionKind(), obj.GetNamespace(), obj.GetName())
}

// Update replaces an object; a stale resourceVersion is a conflict (apierrors.IsConflict).
func (c *Client) Update(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.update(ctx, obj)
}

// UpdateStatus replaces an object's status; kinds without the status subresource give NotFound.
func (c *Client) UpdateStatus(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.update(ctx, obj, "status")
}

func (c *Client) update(ctx context.Context, obj *unstructured.Unstructured, sub ...string) (*unstructured.Unstructured, error) {
	ri, err := c.resource(ctx, obj.GroupVersionKind(), obj.GetNamespace())
	if err != nil {
		return nil, err
	}
	u, err := ri.Update(ctx, obj, metav1.UpdateOptions{FieldManager: FieldManager}, sub...)
	return u, c.explainf(err, "update", obj.GroupVersionKind(), obj.GetNamespace(), obj.GetName())
}

// Patch changes an object, or a subresource of it.
func (c *Client) Patch(ctx context.Context, gvk schema.GroupVersionKind, ns, name string, pt types.PatchType, data []byte, subresources ...string) (*unstructured.Unstructured, error) {
	ri, err := c.resource(ctx, gvk, ns)
	if err != nil {
		return nil, err
	}
	u, err := ri.Patch(ctx, name, pt, data, metav1.PatchOptions{FieldManager: FieldManager}, subresources...)
	return u, c.explainf(err, "patch", gvk, ns, name)
}

// Delete deletes an object; apierrors.IsNotFound holds for its error where it is gone already.
func (c *Client) Delete(ctx context.Context, gvk schema.GroupVersionKind, ns, name string, opts metav1.DeleteOptions) error {
	ri, err := c.resource(ctx, gvk, ns)
	if err != nil {
		return err
	}
	return c.explainf(ri.Delete(ctx, name, opts), "delete", gvk, ns, name)
}

// resource finds the endpoint of a kind in exactly the version given.
func (c *Client) resource(ctx context.Context, gvk schema.GroupVersionKind, ns string) (dynamic.ResourceInterface, error) {
	if m := wellKnownMapping(gvk); m != nil {
		return c.endpoint(m, ns), nil
	}
	m, err := c.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	return c.endpoint(m, ns), nil
}

func (c *Client) endpoint(m *meta.RESTMapping, ns string) dynamic.ResourceInterface {
	if m.Scope.Name() == meta.RESTScopeNameNamespace && ns != "" {
		return c.dynamic.Resource(m.Resource).Namespace(ns)
	}
	return c.dynamic.Resource(m.Resource)
}

var dryRunAll = []string{metav1.DryRunAll}

func unmarshal(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("understand answer: %w", err)
	}
	return nil
}
