// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"os"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/test/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, func(e *testenv.Env) { env = e }))
}

const fixtures = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pots.test.example}
spec:
  group: test.example
  scope: Namespaced
  names: {kind: Pot, plural: pots, singular: pot, listKind: PotList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: test.example/v1
kind: Pot
metadata: {name: big, namespace: kitchen}
status: {ready: true}
---
apiVersion: test.example/v1
kind: Pot
metadata:
  name: small
  namespace: kitchen
  finalizers: [test.example/hold]
  annotations: {seed/delete: "true"}
  ownerReferences: [{apiVersion: test.example/v1, kind: Pot, name: big}]
`

func TestSeedAndWrites(t *testing.T) {
	env.Seed(t, fixtures)
	c, err := dynamic.NewForConfig(env.REST)
	if err != nil {
		t.Fatal(err)
	}
	pots := c.Resource(schema.GroupVersionResource{Group: "test.example", Version: "v1", Resource: "pots"}).Namespace("kitchen")
	big, err := pots.Get(t.Context(), "big", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := big.Object["status"].(map[string]any); status["ready"] != true {
		t.Errorf("status = %v, want ready", status)
	}
	small, err := pots.Get(t.Context(), "small", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if owners := small.GetOwnerReferences(); len(owners) != 1 || owners[0].UID != big.GetUID() {
		t.Errorf("owners = %v, want uid %s", owners, big.GetUID())
	}
	if small.GetDeletionTimestamp() == nil {
		t.Error("small isn't being deleted")
	}
	writes := env.Writes(t, "^testenv-seed")
	for _, want := range []string{
		"create namespaces kitchen 201",
		"patch pots.test.example kitchen/big 201",
		"patch pots.test.example/status kitchen/big 200",
		"delete pots.test.example kitchen/small 200",
	} {
		if !slices.Contains(writes, want) {
			t.Errorf("no write %q in %q", want, writes)
		}
	}
}

func TestUserHasFewRights(t *testing.T) {
	c, err := dynamic.NewForConfig(env.User(t, "nobody"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).List(t.Context(), metav1.ListOptions{})
	if got := metav1.StatusReasonForbidden; err == nil || !isReason(err, got) {
		t.Errorf("error = %v, want %s", err, got)
	}
}

func TestStartKillRestart(t *testing.T) {
	begin := time.Now()
	e := testenv.Start(t, testenv.WithControllerManager())
	t.Logf("started in %s", time.Since(begin))
	e.Seed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept, namespace: keeps}\n")
	e.Kill(t)
	begin = time.Now()
	e.Restart(t)
	t.Logf("restarted in %s", time.Since(begin))
	c, err := dynamic.NewForConfig(rest.CopyConfig(e.REST))
	if err != nil {
		t.Fatal(err)
	}
	cms := c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("keeps")
	if _, err := cms.Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	namespaces := c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	if err := namespaces.Delete(t.Context(), "keeps", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 2400 { // the namespace controller has to notice
		if _, err = namespaces.Get(t.Context(), "keeps", metav1.GetOptions{}); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("namespace was not deleted")
}

func isReason(err error, reason metav1.StatusReason) bool {
	s, ok := err.(interface{ Status() metav1.Status })
	return ok && s.Status().Reason == reason
}
