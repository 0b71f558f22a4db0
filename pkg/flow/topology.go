// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// clusterTopology is the variable that switches on ClusterClasses in the providers' components.
const clusterTopology = "CLUSTER_TOPOLOGY"

// keepTopology says whether ClusterTopology is on where providers are to be installed, and stays on because nobody decided
// otherwise: the clusters with a topology that may be there would be left without their controller.
func keepTopology(ctx context.Context, client *kube.Client, values manifest.Lookup) (bool, error) {
	if _, set := values(clusterTopology); set {
		return false, nil
	}
	core, err := client.List(ctx, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, kube.ListOptions{
		LabelSelector: capi.ProviderLabel + "=" + provider.CoreName,
	})
	for _, d := range core {
		if provider.FeatureGates(d)["ClusterTopology"] {
			return true, nil
		}
	}
	return false, err
}

// withTopology gives the variable its value.
func withTopology(values manifest.Lookup) manifest.Lookup {
	return func(name string) (string, bool) {
		if name == clusterTopology {
			return "true", true
		}
		return values(name)
	}
}
