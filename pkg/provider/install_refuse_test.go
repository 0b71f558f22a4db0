// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/test/testenv"
)

func TestInstallRefusesBeforeWriting(t *testing.T) {
	env := testenv.Start(t)
	for _, tc := range []struct {
		name  string
		more  map[string]string
		specs []Spec
		fault string
	}{
		{"no core", nil, []Spec{lagoonSpec()}, "no core provider"},
		{"contract", map[string]string{"infrastructure-lagoon/v0.3.0/metadata.yaml": strings.Replace(lagoonMetadata, "v1beta1", "v1alpha4", 1)}, []Spec{coreSpec(), lagoonSpec()}, "is made for the v1alpha4 contract; the core provider works with v1beta2 and v1beta1"},
		{"twice", nil, []Spec{coreSpec(), coreSpec()}, "asked for twice"},
		{"same object, different", map[string]string{"infrastructure-lagoon/v0.3.0/infrastructure-components.yaml": text(t, "lagoon.yaml") + "\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: capi-manager}\n"}, []Spec{coreSpec(), lagoonSpec()}, "ClusterRole capi-manager comes with cluster-api and, different, with infrastructure-lagoon"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg, _ := repo(t, text(t, "lagoon.yaml"), tc.more)
			comps, err := components(t, cfg, ComponentOptions{}, tc.specs...)
			if err != nil {
				t.Fatal(err)
			}
			c := connect(t, env, agent)
			_, err = Install(deadline(t, time.Minute), c, comps, InstallOptions{})
			if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("code %d, error %v", fault.CodeOf(err), err)
			}
			if n := c.Requests().Writes(); n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
	t.Run("stuck Deployment", func(t *testing.T) {
		cfg, _ := repo(t, text(t, "lagoon.yaml"), nil)
		comps, err := components(t, cfg, ComponentOptions{}, coreSpec(), lagoonSpec())
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(deadline(t, time.Minute))
		defer stop()
		waits := event.Func(func(e event.Event) {
			if strings.Contains(e.Message, "Deployment capi-system/capi-controller-manager: ") {
				stop()
			}
		})
		_, err = Install(ctx, connect(t, env, agent), comps, InstallOptions{Sink: waits, NoWait: true}) // there is an object to wait for
		if fault.CodeOf(err) != fault.Interrupted || !strings.Contains(err.Error(), "capi-controller-manager") || !strings.Contains(err.Error(), "lagoon-controller-manager") {
			t.Errorf("error %v", err)
		}
		c := connect(t, env, agent)
		_, err = c.Get(t.Context(), schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "ClusterClass"}, "lagoon-system", "lagoon-quick")
		if !apierrors.IsNotFound(err) {
			t.Errorf("an object that the webhook checks exists before the webhook answers: %v", err)
		}
	})
}
