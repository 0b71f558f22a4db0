// SPDX-License-Identifier: Apache-2.0

package move

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// TestAPodOnALostNode: a controller's pod whose node doesn't answer never goes by itself, and may run still. What helps is said.
func TestAPodOnALostNode(t *testing.T) {
	ctx := within(t, time.Minute)
	c := connect(t, left)
	left.Seed(t, `
apiVersion: v1
kind: Namespace
metadata: {name: lost-node}
---
apiVersion: v1
kind: Node
metadata: {name: pond-worker}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: lost-node}
---
apiVersion: v1
kind: Pod
metadata: {name: manager, namespace: lost-node, labels: {a: lost}}
spec: {nodeName: pond-worker, containers: [{name: manager, image: registry.invalid/pond:v1}]}
`)
	d := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"namespace": "lost-node"},
		"spec":     map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"a": "lost"}}},
	}}
	for status, want := range map[string]string{"True": "", "Unknown": "pond-worker doesn't answer (NodeStatusUnknown), so it may run still. If that machine is gone for good, delete the Node: kubectl delete node pond-worker"} {
		patch := `{"status":{"conditions":[{"type":"Ready","status":"` + status + `","reason":"NodeStatusUnknown","lastHeartbeatTime":null,"lastTransitionTime":null}]}}`
		if _, err := c.Patch(ctx, nodeGVK(), "", "pond-worker", types.MergePatchType, []byte(patch), "status"); err != nil {
			t.Fatal(err)
		}
		ok, why, err := podsGone(ctx, c, d)
		if ok || err != nil || !strings.HasPrefix(why, "pod manager isn't gone yet") || !strings.HasSuffix(why, want) || (want == "") != (why == "pod manager isn't gone yet") {
			t.Errorf("%s: gone %t, %q, %v", status, ok, why, err)
		}
	}
}
