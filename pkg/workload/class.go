// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// ClassOf returns the ClusterClasses that the Clusters among objs name, each once, in their order. A class
// without a namespace is in its Cluster's; defaultNamespace stands for Clusters that have none.
func ClassOf(objs []manifest.Object, defaultNamespace string) []types.NamespacedName {
	var out []types.NamespacedName
	seen := map[types.NamespacedName]bool{}
	for _, o := range clustersIn(objs) {
		s := capi.ReadCluster(o.Unstructured)
		key := types.NamespacedName{Namespace: orWord(s.ClassNamespace, defaultNamespace), Name: s.ClassName}
		if key.Name != "" && !seen[key] {
			seen[key] = true
			out = append(out, key)
		}
	}
	return out
}

// MissingClasses returns those of ClassOf that are neither among objs nor on the management cluster. c may be nil, and the
// Cluster API need not be installed yet: then only objs count.
func MissingClasses(ctx context.Context, c *kube.Client, objs []manifest.Object, defaultNamespace string) ([]types.NamespacedName, error) {
	var out []types.NamespacedName
	for _, key := range ClassOf(objs, defaultNamespace) {
		if hasClass(objs, key, defaultNamespace) {
			continue
		}
		exists, err := classExists(ctx, c, key)
		if err != nil {
			return nil, fmt.Errorf("look for ClusterClass %s: %w", key, err)
		}
		if !exists {
			out = append(out, key)
		}
	}
	return out, nil
}

func hasClass(objs []manifest.Object, key types.NamespacedName, defaultNamespace string) bool {
	for _, o := range objs {
		if o.GroupVersionKind().GroupKind() == capi.ClusterClassGK() && o.GetName() == key.Name &&
			orWord(o.GetNamespace(), defaultNamespace) == key.Namespace {
			return true
		}
	}
	return false
}

func classExists(ctx context.Context, c *kube.Client, key types.NamespacedName) (bool, error) {
	if c == nil {
		return false, nil
	}
	gk := capi.ClusterClassGK()
	_, err := getRef(ctx, c, capi.Ref{Group: gk.Group, Kind: gk.Kind, Namespace: key.Namespace, Name: key.Name})
	if isNotFound(err) || isNoKind(err) {
		return false, nil
	}
	return err == nil, err
}
