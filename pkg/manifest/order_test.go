// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	objs, err := Parse(Source{Name: "f", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return Unwrap(objs)
}

func fixture(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func TestWaves(t *testing.T) {
	t.Parallel()
	var got []string
	for _, wave := range Waves(fixture(t, "testdata/components.yaml")) {
		var kinds []string
		for _, o := range wave {
			kinds = append(kinds, o.GetKind())
		}
		got = append(got, strings.Join(kinds, " "))
	}
	want := []string{
		"Namespace", "CustomResourceDefinition", "Role Service ServiceAccount Secret", "RoleBinding ClusterRoleBinding", "Certificate Issuer",
		"PondTemplate", "PondSettings", "Deployment CronJob", "APIService", "ValidatingWebhookConfiguration MutatingWebhookConfiguration",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if waves := Waves(nil); len(waves) != 0 {
		t.Errorf("got %v", waves)
	}
}

func TestSetNamespaceGolden(t *testing.T) {
	t.Parallel()
	objs := fixture(t, "testdata/components.yaml")
	if err := SetNamespace(objs, "elsewhere"); err != nil {
		t.Fatal(err)
	}
	text, err := ToYAML(objs)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/components.elsewhere.golden", string(text))
}

func TestSetNamespaceOfUnknownKinds(t *testing.T) {
	t.Parallel()
	objs := parse(t, `
apiVersion: other.example/v1
kind: A
metadata: {name: a, namespace: x}
---
apiVersion: other.example/v1
kind: B
metadata: {name: b}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cs.other.example}
spec: {group: other.example, scope: Cluster, names: {kind: C}}
---
apiVersion: other.example/v1
kind: C
metadata: {name: c}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: d}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: e}
`)
	if err := SetNamespace(objs, "ns"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range objs {
		got = append(got, o.GetName()+":"+o.GetNamespace())
	}
	if want := "a:ns b: cs.other.example: c: d:ns e:"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

func TestSetNamespaceErrors(t *testing.T) {
	t.Parallel()
	ns := "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n---\n"
	for name, c := range map[string]struct{ text, ns, want string }{
		"not a name":     {"", "No_Name", `namespace "No_Name": `},
		"two namespaces": {fmt.Sprintf(ns+ns, "a", "b"), "x", "more than one Namespace object (a, b)"},
		"annotation":     {"apiVersion: v1\nkind: X\nmetadata: {name: a, annotations: {cert-manager.io/inject-ca-from: a}}\n", "x", `X a: the annotation cert-manager.io/inject-ca-from is not of the form namespace/name`},
	} {
		if err := SetNamespace(parse(t, c.text), c.ns); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	objs := fixture(t, "testdata/components.yaml")
	want := []string{"registry.example/cron:1", "registry.example/init:1", "registry.example/pond:v0.3.0", "registry.example/proxy@sha256:00"}
	if diff := cmp.Diff(want, Images(objs)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	err := MapImages(objs, func(image string) (string, error) {
		return strings.Replace(image, "registry.example", "mirror.example/a", 1), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, image := range Images(objs) {
		if w := strings.Replace(want[i], "registry.example", "mirror.example/a", 1); image != w {
			t.Errorf("got %s, want %s", image, w)
		}
	}
	err = MapImages(objs, func(string) (string, error) { return "", errors.New("no") })
	if err == nil || err.Error() != "set image of container init in Deployment pond: no" {
		t.Errorf("got %v", err)
	}
}

func TestToYAML(t *testing.T) {
	t.Parallel()
	objs := parse(t, "kind: A\napiVersion: v1\nmetadata: {name: a}\nz: \"yes\"\n\"y\": |\n  a\n\n  b\nx: [1, 1.5, \"1\", null, true]\n---\nkind: B\napiVersion: v1\nmetadata: {name: b}\n")
	got, err := ToYAML(objs)
	if err != nil {
		t.Fatal(err)
	}
	want := "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nx:\n- 1\n- 1.5\n- \"1\"\n- null\n- true\n\"y\": |\n  a\n\n  b\nz: \"yes\"\n---\napiVersion: v1\nkind: B\nmetadata:\n  name: b\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err := ToYAML(nil); err != nil || len(got) != 0 {
		t.Errorf("got %q, %v", got, err)
	}
}
