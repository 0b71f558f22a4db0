// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// ErrNotInstalled says that a cluster doesn't know the kinds of the Cluster API.
var ErrNotInstalled = errors.New("the Cluster API is not installed here")

// ClusterGVK finds the version of Cluster that an API server prefers. The error matches ErrNotInstalled where it serves none.
func ClusterGVK(ctx context.Context, c *kube.Client) (schema.GroupVersionKind, error) {
	m, err := c.Mapping(ctx, ClusterGK())
	if errors.Is(err, kube.ErrNoKind) {
		return schema.GroupVersionKind{}, fault.WithHint(
			errors.Join(ErrNotInstalled, err), "install providers first: clusterctl init, or clusterctl create cluster does it too")
	}
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return m.GroupVersionKind, nil
}
