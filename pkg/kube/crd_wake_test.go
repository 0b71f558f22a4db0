// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const forgottenCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sleepers.pond.example}
spec:
  group: pond.example
  scope: Namespaced
  names: {kind: Sleeper, listKind: SleeperList, plural: sleepers, singular: sleeper}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

// TestForgottenCRD puts a CRD into the state in which an API server leaves it that ends between accepting the names and establishing the
// kind, and that it doesn't take up again by itself when it is started. Applied again, it is served.
func TestForgottenCRD(t *testing.T) {
	own := testenv.Start(t)
	ctx := within(t, time.Minute)
	crds := parse(t, forgottenCRD)
	if _, err := connect(t, own.REST).Apply(ctx, crds, kube.ApplyOptions{SkipUnchanged: true}); err != nil {
		t.Fatal(err)
	}
	own.Kill(t)
	err := own.Edit(ctx, "apiextensions.k8s.io/customresourcedefinitions/sleepers.pond.example", func(stored []byte) []byte {
		crd := &unstructured.Unstructured{}
		if err := json.Unmarshal(stored, &crd.Object); err != nil {
			t.Fatal(err)
		}
		conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
		for _, cond := range conditions {
			if m := cond.(map[string]any); m["type"] == "Established" { // as the server writes it when it accepts the names
				m["status"], m["reason"], m["message"] = "False", "Installing", "the initial names have been accepted"
			}
		}
		if err := unstructured.SetNestedSlice(crd.Object, conditions, "status", "conditions"); err != nil {
			t.Fatal(err)
		}
		changed, err := json.Marshal(crd.Object)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	})
	if err != nil {
		t.Fatal(err)
	}
	own.Restart(t)
	again := connect(t, own.REST)
	sleeper := schema.GroupKind{Group: "pond.example", Kind: "Sleeper"}
	time.Sleep(2 * time.Second)
	if _, err := again.Mapping(ctx, sleeper, "v1"); err == nil {
		t.Fatal("the API server has taken the CRD up by itself: this test proves nothing any more")
	}
	began := time.Now()
	if _, err := again.Apply(ctx, crds, kube.ApplyOptions{SkipUnchanged: true}); err != nil {
		t.Fatalf("after %s: %v", time.Since(began), err)
	}
	if _, err := again.Mapping(ctx, sleeper, "v1"); err != nil {
		t.Error(err)
	}
	t.Logf("served after %s", time.Since(began).Round(time.Second))
}
