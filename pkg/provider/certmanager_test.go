// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestCertManagerIsWaitedFor: a run that ended before cert-manager worked is followed by one that waits for it in the same way, and its pods
// may run where the providers' do.
func TestCertManagerIsWaitedFor(t *testing.T) {
	env := testenv.Start(t)
	c := connect(t, env, agent)
	cfg, _ := repo(t, text(t, "upside-down.yaml"), map[string]string{
		"cluster-api/v1.14.2/core-components.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: capi-system}\n",
		"cm/cert-manager.yaml": text(t, "cert-manager.yaml") + `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cert-manager, namespace: cert-manager}
spec:
  selector: {matchLabels: {app: cert-manager}}
  template:
    metadata: {labels: {app: cert-manager}}
    spec:
      containers: [{name: cert-manager, image: "example.com/cert-manager:v1"}]
      tolerations: [{key: dry, operator: Exists}]
`,
		"clusterctl.yaml": repoConfig + "cert-manager: {url: cm/cert-manager.yaml, version: v1.20.0, timeout: 2s}\n",
	})
	comps, err := components(t, cfg, ComponentOptions{}, coreSpec(), lagoonSpec())
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"first", "second"} {
		_, err := Install(deadline(t, time.Minute), c, comps, InstallOptions{Config: cfg, Interval: 100 * time.Millisecond})
		if err == nil || !strings.Contains(err.Error(), "wait for cert-manager") || !strings.Contains(err.Error(), "Deployment cert-manager/cert-manager") {
			t.Fatalf("%s run: %v", run, err)
		}
	}
	live := exists(t, c, deploymentGVK(), "cert-manager", "cert-manager")
	tolerations, _, _ := unstructured.NestedSlice(live.Object, "spec", "template", "spec", "tolerations")
	if len(tolerations) != 2 {
		t.Errorf("tolerations %v, want its own and the one for control planes", tolerations)
	}
	playDeployments(t, connect(t, env, "player"))
	if _, err := Install(deadline(t, time.Minute), c, comps, InstallOptions{Config: cfg, Interval: 100 * time.Millisecond}); err != nil {
		t.Errorf("third run: %v", err)
	}
}

// TestTolerateControlPlane: the toleration is there once.
func TestTolerateControlPlane(t *testing.T) {
	for name, c := range map[string]struct {
		had  []any
		want int
	}{
		"none":                {nil, 1},
		"another":             {[]any{map[string]any{"key": "dry", "operator": "Exists"}}, 2},
		"the same":            {[]any{map[string]any{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}}, 1},
		"one for every taint": {[]any{map[string]any{"operator": "Exists"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			pod := map[string]any{}
			if c.had != nil {
				pod["tolerations"] = c.had
			}
			job := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "startupapicheck"},
				"spec": map[string]any{"template": map[string]any{"spec": pod}},
			}}
			for range 2 {
				if err := tolerateControlPlane(job); err != nil {
					t.Fatal(err)
				}
			}
			if got, _ := pod["tolerations"].([]any); len(got) != c.want {
				t.Errorf("%v, want %d", got, c.want)
			}
		})
	}
	configMap := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	if err := tolerateControlPlane(configMap); err != nil || len(configMap.Object) != 2 {
		t.Errorf("%v: %v", configMap.Object, err)
	}
}
