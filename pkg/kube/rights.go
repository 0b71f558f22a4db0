// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Right is something that one may be allowed to do.
type Right struct {
	// Verb is get, list, create, patch, delete, …; Group and Resource are as in RBAC rules, a
	// subresource goes behind a slash ("deployments/scale"). Namespace empty means all
	// namespaces, Name empty means all names.
	Verb, Group, Resource, Namespace, Name string
}

// String is for messages: "patch deployments.apps in namespace capi-system".
func (r Right) String() string {
	text := r.Verb + " " + schema.GroupResource{Group: r.Group, Resource: r.Resource}.String()
	if r.Name != "" {
		text += " " + r.Name
	}
	if r.Namespace != "" {
		return text + " in namespace " + r.Namespace
	}
	return text
}

// Denied asks the server which of the rights we don't have, in the order given; none means that all are there.
func (c *Client) Denied(ctx context.Context, rights []Right) ([]Right, error) {
	denied := make([]bool, len(rights))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, r := range rights {
		g.Go(func() error {
			return Retry(gctx, func(ctx context.Context) error {
				var err error
				denied[i], err = c.isDenied(ctx, r)
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("ask for rights: %w", err)
	}
	var out []Right
	for i, r := range rights {
		if denied[i] {
			out = append(out, r)
		}
	}
	return out, nil
}

func (c *Client) isDenied(ctx context.Context, r Right) (bool, error) {
	resource, sub, _ := strings.Cut(r.Resource, "/")
	review := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": map[string]any{
			"verb": r.Verb, "group": r.Group, "resource": resource, "subresource": sub, "namespace": r.Namespace, "name": r.Name,
		}},
	}}
	gvr := schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"}
	u, err := c.dynamic.Resource(gvr).Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, c.explain(err)
	}
	allowed, _, _ := unstructured.NestedBool(u.Object, "status", "allowed")
	return !allowed, nil
}
