// SPDX-License-Identifier: Apache-2.0

package move

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestStartAgain: controllers that a move left at 0 get their replicas back, and nothing else is touched.
func TestStartAgain(t *testing.T) {
	env := testenv.Start(t)
	c := connect(t, env)
	for name, text := range map[string]string{
		"left":  `{replicas: 0, note: "3", label: infrastructure-pond}`,
		"held":  `{replicas: 0, note: "", label: infrastructure-lake}`,
		"alien": `{replicas: 0, note: "2", label: ""}`,
		"runs":  `{replicas: 1, note: "2", label: core}`,
	} {
		var want struct {
			Replicas    int64
			Note, Label string
		}
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		d := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(`
apiVersion: apps/v1
kind: Deployment
spec:
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: manager, image: registry.invalid/pond:v1}]}}
`), &d.Object); err != nil {
			t.Fatal(err)
		}
		d.SetNamespace("default")
		d.SetName(name)
		if want.Note != "" {
			d.SetAnnotations(map[string]string{replicasAnnotation: want.Note})
		}
		if want.Label != "" {
			d.SetLabels(map[string]string{"cluster.x-k8s.io/provider": want.Label})
		}
		if err := unstructured.SetNestedField(d.Object, want.Replicas, "spec", "replicas"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Create(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{1, 0} {
		if n, err := StartAgain(t.Context(), c); err != nil || n != want {
			t.Errorf("run %d: started %d, want %d: %v", i, n, want, err)
		}
	}
	for name, want := range map[string]int64{"left": 3, "held": 0, "alien": 0, "runs": 1} {
		d, err := c.Get(t.Context(), gvkDeployment(), "default", name)
		if err != nil {
			t.Fatal(err)
		}
		if n := kube.Replicas(d); n != want {
			t.Errorf("%s has %d replicas, want %d", name, n, want)
		}
		if note, ok := d.GetAnnotations()[replicasAnnotation]; name == "left" && ok {
			t.Errorf("the annotation stays: %q", note)
		}
	}
}
