// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	pageSize     = 500
	listRestarts = 3
)

// ListOptions narrow a List. The zero value lists everything in all namespaces.
type ListOptions struct {
	// Namespace is one namespace; empty means all.
	Namespace string
	// LabelSelector and FieldSelector are in Kubernetes' usual text form.
	LabelSelector, FieldSelector string
	// MetadataOnly leaves out everything but apiVersion, kind and metadata.
	MetadataOnly bool
}

// List reads all objects of a kind, in pages of 500. A list whose continuation expired on the way begins again.
func (c *Client) List(ctx context.Context, gvk schema.GroupVersionKind, opts ListOptions) ([]*unstructured.Unstructured, error) {
	m, err := c.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	out, err := c.list(ctx, m, opts)
	return out, c.explainf(err, "list", gvk, opts.Namespace, "")
}

func (c *Client) list(ctx context.Context, m *meta.RESTMapping, opts ListOptions) ([]*unstructured.Unstructured, error) {
	ctx = whileReading(ctx)
	page := c.objectPage
	if opts.MetadataOnly {
		page = c.metadataPage
	}
	restarts := 0
	var out []*unstructured.Unstructured
	lo := metav1.ListOptions{Limit: pageSize, LabelSelector: opts.LabelSelector, FieldSelector: opts.FieldSelector}
	for {
		items, next, err := page(ctx, m, opts.Namespace, lo)
		if apierrors.IsResourceExpired(err) && lo.Continue != "" && restarts < listRestarts {
			restarts++
			out, lo.Continue = nil, ""
			continue
		} else if err != nil {
			return nil, err
		}
		out = append(out, items...)
		if next == "" {
			return out, nil
		}
		lo.Continue = next
	}
}

func (c *Client) objectPage(ctx context.Context, m *meta.RESTMapping, ns string, lo metav1.ListOptions) ([]*unstructured.Unstructured, string, error) {
	l, err := c.endpoint(m, ns).List(ctx, lo)
	if err != nil {
		return nil, "", err
	}
	out := make([]*unstructured.Unstructured, len(l.Items))
	for i := range l.Items {
		out[i] = &l.Items[i]
		out[i].SetGroupVersionKind(m.GroupVersionKind)
	}
	return out, l.GetContinue(), nil
}

func (c *Client) metadataPage(ctx context.Context, m *meta.RESTMapping, ns string, lo metav1.ListOptions) ([]*unstructured.Unstructured, string, error) {
	if m.Scope.Name() != meta.RESTScopeNameNamespace {
		ns = ""
	}
	l, err := c.metadata.Resource(m.Resource).Namespace(ns).List(ctx, lo)
	if err != nil {
		return nil, "", err
	}
	out := make([]*unstructured.Unstructured, len(l.Items))
	for i := range l.Items {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&l.Items[i])
		if err != nil {
			return nil, "", err
		}
		out[i] = &unstructured.Unstructured{Object: content}
		out[i].SetGroupVersionKind(m.GroupVersionKind)
	}
	return out, l.GetContinue(), nil
}
