// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// WhoAmI asks the server who it takes us for. Servers before 1.28 don't tell: the error matches ErrNoKind.
func (c *Client) WhoAmI(ctx context.Context) (user string, groups []string, err error) {
	review := &unstructured.Unstructured{Object: map[string]any{}}
	review.SetGroupVersionKind(schema.GroupVersionKind{Group: "authentication.k8s.io", Version: "v1", Kind: "SelfSubjectReview"})
	got, err := c.Create(ctx, review)
	if err != nil {
		return "", nil, fmt.Errorf("ask who we are: %w", err)
	}
	user, _, _ = unstructured.NestedString(got.Object, "status", "userInfo", "username")
	groups, _, _ = unstructured.NestedStringSlice(got.Object, "status", "userInfo", "groups")
	return user, groups, nil
}
