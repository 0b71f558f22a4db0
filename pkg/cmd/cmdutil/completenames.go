// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// CompleteClusters completes the names of the clusters in the namespace that the flags name.
func (f *Factory) CompleteClusters(flags *KubeFlags) cobra.CompletionFunc {
	return Complete(func(ctx context.Context, _ *cobra.Command) ([]string, error) {
		c, cfg, err := f.Kube(ctx, *flags)
		if err != nil {
			return nil, err
		}
		gvk, err := capi.ClusterGVK(ctx, c)
		if err != nil {
			return nil, err
		}
		return names(ctx, c, gvk, cfg.Namespace)
	})
}

func (f *Factory) listNamespaces(flags *KubeFlags) func(context.Context, *cobra.Command) ([]string, error) {
	return func(ctx context.Context, _ *cobra.Command) ([]string, error) {
		c, _, err := f.Kube(ctx, *flags)
		if err != nil {
			return nil, err
		}
		return names(ctx, c, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "")
	}
}

func names(ctx context.Context, c *kube.Client, gvk schema.GroupVersionKind, namespace string) ([]string, error) {
	objs, err := c.List(ctx, gvk, kube.ListOptions{Namespace: namespace, MetadataOnly: true})
	if err != nil {
		return nil, err
	}
	out := make([]string, len(objs))
	for i, o := range objs {
		out[i] = o.GetName()
	}
	return out, nil
}
