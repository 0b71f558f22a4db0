// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// CompleteClusters completes the names of the clusters in the namespace that the flags name.
func (f *Factory) CompleteClusters(flags *KubeFlags) cobra.CompletionFunc {
	return Complete(f.listClusters(flags))
}

// CompleteKnownClusters is CompleteClusters with those that runs on this host are known of, for commands that find the
// management cluster by the name. They come also where no server answers.
func (f *Factory) CompleteKnownClusters(flags *KubeFlags) cobra.CompletionFunc {
	return Complete(func(ctx context.Context, cmd *cobra.Command) ([]string, error) {
		var known []string
		if flags.Kubeconfig == "" && flags.Context == "" {
			known = f.recordNames(flags.Namespace)
		}
		ctx, cancel := context.WithTimeout(ctx, completionTime/2)
		defer cancel()
		found, err := f.listClusters(flags)(ctx, cmd)
		all := slices.Concat(known, found)
		slices.Sort(all)
		all = slices.Compact(all)
		if len(all) > 0 {
			err = nil
		}
		return all, err
	})
}

func (f *Factory) listClusters(flags *KubeFlags) func(context.Context, *cobra.Command) ([]string, error) {
	return func(ctx context.Context, _ *cobra.Command) ([]string, error) {
		c, cfg, err := f.Kube(ctx, *flags)
		if err != nil {
			return nil, err
		}
		gvk, err := capi.ClusterGVK(ctx, c)
		if err != nil {
			return nil, err
		}
		return names(ctx, c, gvk, cfg.Namespace)
	}
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
