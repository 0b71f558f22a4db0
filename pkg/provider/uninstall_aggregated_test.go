// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestUninstallAggregated: Kubernetes' controller makes a ClusterRole of others anew while these go, unless it is gone first.
func TestUninstallAggregated(t *testing.T) {
	env := testenv.Start(t, testenv.WithControllerManager())
	c := connect(t, env, "uninstall-aggregated")
	const parts = 12
	role := func(name string) kube.Ref {
		return kube.Ref{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: name}
	}
	noted := []kube.Ref{role("a-pond-aggregated")}
	manifest := []string{`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: a-pond-aggregated}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {pond: "yes"}}]}
rules: []
`}
	for i := range parts {
		name := fmt.Sprintf("pond-%d", i)
		noted = append(noted, role(name))
		manifest = append(manifest, fmt.Sprintf(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %s, labels: {pond: "yes"}}
rules: [{apiGroups: [pond.example], resources: [r%d], verbs: [get]}]
`, name, i))
	}
	for round := range 4 {
		applyText(t, c, strings.Join(manifest, "\n---\n"))
		aggregated := kube.ConditionFunc("ClusterRole", func(ctx context.Context) (bool, string, error) {
			live, err := c.Get(ctx, noted[0].GVK(), "", noted[0].Name)
			if err != nil {
				return false, "", err
			}
			rules, _, _ := unstructured.NestedSlice(live.Object, "rules")
			return len(rules) == parts, fmt.Sprintf("%d rules", len(rules)), nil
		})
		if err := kube.Wait(deadline(t, time.Minute), nil, "", 50*time.Millisecond, aggregated); err != nil {
			t.Fatal(err)
		}
		out, err := Uninstall(deadline(t, time.Minute), c, noted, UninstallOptions{Interval: 50 * time.Millisecond})
		if err != nil || out.Removed != len(noted) {
			t.Fatalf("removed %+v: %v", out, err)
		}
		time.Sleep(500 * time.Millisecond) // the controller is done by then
		if there, _, err := c.Look(t.Context(), objectsOf(noted)); err != nil || len(there) > 0 {
			t.Fatalf("round %d: there is still, or again: %v %v", round, there, err)
		}
	}
}
