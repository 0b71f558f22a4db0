// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// List returns the clusters of one namespace, or of all (""), ordered by namespace and name. A cluster's Kubernetes version comes
// from its topology, else from its control plane object. Where the Cluster API isn't installed there are none.
func List(ctx context.Context, c *kube.Client, namespace string) ([]capi.ClusterState, error) {
	gvk, err := capi.ClusterGVK(ctx, c)
	if errors.Is(err, capi.ErrNotInstalled) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	items, err := c.List(ctx, gvk, kube.ListOptions{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("list clusters: %w", err)
	}
	out := make([]capi.ClusterState, len(items))
	for i, u := range items {
		out[i] = capi.ReadCluster(u)
	}
	fillVersions(ctx, c, namespace, out)
	sort.Slice(out, func(i, j int) bool {
		return out[i].Namespace+"/"+out[i].Name < out[j].Namespace+"/"+out[j].Name
	})
	return out, nil
}

// fillVersions reads each kind of control plane once. A version that can't be found stays empty: it isn't worth a failed listing.
func fillVersions(ctx context.Context, c *kube.Client, namespace string, clusters []capi.ClusterState) {
	byKind := map[schema.GroupKind]map[types.NamespacedName]*unstructured.Unstructured{}
	for i := range clusters {
		s := &clusters[i]
		if s.Version != "" || s.ControlPlaneRef == nil {
			continue
		}
		gk := s.ControlPlaneRef.GroupKind()
		if byKind[gk] == nil {
			byKind[gk] = listByName(ctx, c, gk, namespace)
		}
		if u := byKind[gk][types.NamespacedName{Namespace: s.ControlPlaneRef.Namespace, Name: s.ControlPlaneRef.Name}]; u != nil {
			s.Version = capi.ReadControlPlane(u).Version
		}
	}
}

func listByName(ctx context.Context, c *kube.Client, gk schema.GroupKind, namespace string) map[types.NamespacedName]*unstructured.Unstructured {
	out := map[types.NamespacedName]*unstructured.Unstructured{}
	versions, err := c.Served(ctx, gk)
	if err != nil || len(versions) == 0 {
		return out
	}
	items, err := c.List(ctx, gk.WithVersion(versions[0]), kube.ListOptions{Namespace: namespace})
	if err != nil {
		return out
	}
	for _, u := range items {
		out[types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}] = u
	}
	return out
}

// Find returns the namespaces that hold a Cluster of a name, in order: for errors that say where it is instead.
func Find(ctx context.Context, c *kube.Client, name string) ([]string, error) {
	gvk, err := capi.ClusterGVK(ctx, c)
	if err != nil {
		return nil, err
	}
	items, err := c.List(ctx, gvk, kube.ListOptions{FieldSelector: "metadata.name=" + name, MetadataOnly: true})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, u := range items {
		out = append(out, u.GetNamespace())
	}
	sort.Strings(out)
	return out, nil
}
