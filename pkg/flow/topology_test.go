// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestTopologyIsReadOffArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args string
		want bool
	}{
		"on":           {`["--leader-elect", "--feature-gates=MachinePool=true,ClusterTopology=true,RuntimeSDK=false"]`, true},
		"off":          {`["--feature-gates=MachinePool=true,ClusterTopology=false"]`, false},
		"no arguments": {`[]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte("spec: {template: {spec: {containers: [{name: manager, args: "+c.args+"}]}}}"), &d.Object); err != nil {
				t.Fatal(err)
			}
			if got := hasTopology(d); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
