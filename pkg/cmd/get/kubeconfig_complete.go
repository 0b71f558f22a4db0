// SPDX-License-Identifier: Apache-2.0

package get

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// completeClusters completes the names of the clusters in the namespace that the flags name.
func completeClusters(f *cmdutil.Factory, o *kubeconfigOptions) cobra.CompletionFunc {
	return cmdutil.Complete(func(ctx context.Context, _ *cobra.Command) ([]string, error) {
		c, config, err := f.Kube(ctx, o.kube)
		if err != nil {
			return nil, err
		}
		gvk, err := capi.ClusterGVK(ctx, c)
		if err != nil {
			return nil, err
		}
		clusters, err := c.List(ctx, gvk, kube.ListOptions{Namespace: config.Namespace, MetadataOnly: true})
		if err != nil {
			return nil, err
		}
		names := make([]string, 0, len(clusters))
		for _, u := range clusters {
			names = append(names, u.GetName())
		}
		return names, nil
	})
}
