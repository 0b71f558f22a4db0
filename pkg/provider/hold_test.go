// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestHeldGateIsSwitchedOn: installed again with the variable, controllers that are held have the feature gate on, and are held still.
func TestHeldGateIsSwitchedOn(t *testing.T) {
	env, hook := testenv.Start(t), newWebhook(t)
	cfg, _ := repo(t, text(t, "lagoon.yaml"), nil)
	for _, state := range []string{"false", "true"} {
		values := func(name string) (string, bool) { return state, name == "CLUSTER_TOPOLOGY" }
		comps, err := components(t, cfg, ComponentOptions{Lookup: values}, coreSpec())
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, env, agent)
		if _, err := Install(deadline(t, time.Minute), c, comps, InstallOptions{Prepare: hook.prepare, Config: cfg, Hold: true}); err != nil {
			t.Fatal(err)
		}
		d := exists(t, c, deploymentGVK(), "capi-system", "capi-controller-manager")
		on, named := FeatureGates(d)["ClusterTopology"]
		if !named || on != (state == "true") || kube.Replicas(d) != 0 || d.GetAnnotations()[ReplicasAnnotation] != "1" {
			t.Errorf("%s: gates %v, %d replicas, annotations %v", state, FeatureGates(d), kube.Replicas(d), d.GetAnnotations())
		}
	}
}
