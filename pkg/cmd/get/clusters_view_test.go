// SPDX-License-Identifier: Apache-2.0

package get

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// Scripts read these names.
func TestClustersForScripts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	states := []capi.ClusterState{{
		Name: "heron", Namespace: "team-a", UID: "u", Created: at, Phase: "Provisioned", Available: true, ClassName: "pond",
		ControlPlane: capi.Replicas{Desired: 3, Current: 2, Ready: 1},
		Conditions:   []capi.Condition{{Type: "Available", Status: "True", Reason: "Available", LastTransition: at}},
	}}
	var out bytes.Buffer
	if err := ui.Print(ui.Streams{Out: &out}, ui.JSON, clusterListing(states, "", at)); err != nil {
		t.Fatal(err)
	}
	var got struct{ Items []map[string]any }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Items) != 1 {
		t.Fatalf("%v: %s", err, out.String())
	}
	none := map[string]any{"desired": 0.0, "current": 0.0, "ready": 0.0, "available": 0.0, "upToDate": 0.0}
	want := map[string]any{
		"name": "heron", "namespace": "team-a", "uid": "u", "created": "2026-01-02T03:04:05Z", "phase": "Provisioned",
		"available": true, "paused": false, "deleting": false, "infrastructureReady": false, "controlPlaneInitialized": false, "class": "pond",
		"controlPlane": map[string]any{"desired": 3.0, "current": 2.0, "ready": 1.0, "available": 0.0, "upToDate": 0.0}, "workers": none,
		"conditions": []any{map[string]any{"type": "Available", "status": "True", "reason": "Available", "lastTransitionTime": "2026-01-02T03:04:05Z"}},
	}
	if diff := cmp.Diff(want, got.Items[0]); diff != "" {
		t.Error(diff)
	}
}
