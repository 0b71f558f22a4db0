// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// getCluster reads a Cluster at the version that the API server prefers.
func getCluster(ctx context.Context, c *kube.Client, key types.NamespacedName) (*unstructured.Unstructured, error) {
	gvk, err := capi.ClusterGVK(ctx, c)
	if err != nil {
		return nil, err
	}
	return c.Get(ctx, gvk, key.Namespace, key.Name)
}

// getRef reads a referenced object at its own version if that is served, else at the preferred one: a reference can outlive
// the version that it was written with, and those of v1beta2 have none.
func getRef(ctx context.Context, c *kube.Client, ref capi.Ref) (*unstructured.Unstructured, error) {
	m, err := mapping(ctx, c, ref.GroupKind(), ref.Version)
	if err != nil {
		return nil, err
	}
	ns := ref.Namespace
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		ns = ""
	}
	return c.Get(ctx, m.GroupVersionKind, ns, ref.Name)
}

func mapping(ctx context.Context, c *kube.Client, gk schema.GroupKind, version string) (*meta.RESTMapping, error) {
	if version != "" {
		if m, err := c.Mapping(ctx, gk, version); err == nil || !isNoKind(err) {
			return m, err
		}
	}
	return c.Mapping(ctx, gk)
}

// listOf lists the objects of a kind that carry a cluster's label. A kind that isn't served has none.
func listOf(ctx context.Context, c *kube.Client, gk schema.GroupKind, state capi.ClusterState) ([]*unstructured.Unstructured, error) {
	versions, err := c.Served(ctx, gk)
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	return c.List(ctx, gk.WithVersion(versions[0]), kube.ListOptions{
		Namespace: state.Namespace, LabelSelector: capi.ClusterNameLabel + "=" + state.Name,
	})
}

func isNotFound(err error) bool { return apierrors.IsNotFound(err) }

func isNoKind(err error) bool { return errors.Is(err, kube.ErrNoKind) || meta.IsNoMatchError(err) }

// canHeal says whether the same request can succeed later.
func canHeal(err error) bool {
	class := kube.Classify(err)
	return class == kube.ClassRetry || class == kube.ClassConflict
}
