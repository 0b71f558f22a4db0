// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestFeatureGates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		container string
		want      map[string]bool
	}{
		"one argument":          {`args: ["--leader-elect", "--feature-gates=MachinePool=true,ClusterTopology=false"]`, map[string]bool{"MachinePool": true, "ClusterTopology": false}},
		"two words":             {`args: ["--feature-gates", "ClusterTopology=true"]`, map[string]bool{"ClusterTopology": true}},
		"given twice":           {`args: ["--feature-gates=A=true", "--feature-gates=B=false"]`, map[string]bool{"A": true, "B": false}},
		"the last one counts":   {`args: ["--feature-gates=A=true,A=false"]`, map[string]bool{"A": false}},
		"in the command":        {`command: [/manager, "--feature-gates=A=1, B=F"]`, map[string]bool{"A": true, "B": false}},
		"no value":              {`args: ["--feature-gates=A,B=,C=maybe", "--feature-gates"]`, map[string]bool{}},
		"another flag":          {`args: ["--feature-gates-of-others=A=true"]`, map[string]bool{}},
		"no arguments whatever": {`name: manager`, map[string]bool{}},
	} {
		d := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte("spec: {template: {spec: {containers: [{"+c.container+"}]}}}"), &d.Object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, FeatureGates(d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
