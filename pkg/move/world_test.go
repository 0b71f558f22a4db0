// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/graph"
)

// world is what a control plane holds in some namespaces, by "Kind namespace/name", without what only a server says. Owners stand there
// by name: a reference whose UID is nobody's stands there as dangling.
type world map[string]string

// look reads it.
func look(t testing.TB, c *kube.Client, version string, namespaces ...string) world {
	t.Helper()
	ctx := context.Background()
	var all []*unstructured.Unstructured
	kinds := []schema.GroupVersionKind{{Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "ConfigMap"}}
	for _, k := range graph.Kinds(version) {
		kinds = append(kinds, gvkOf(k))
	}
	for _, gvk := range kinds {
		list, err := c.List(ctx, gvk, kube.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			if u.GetNamespace() == "" || contains(namespaces, u.GetNamespace()) {
				all = append(all, u)
			}
		}
	}
	owners := map[string]string{}
	for _, u := range all {
		owners[string(u.GetUID())] = u.GetKind() + " " + u.GetName()
	}
	out := world{}
	for _, u := range all {
		if u.GetName() == "kube-root-ca.crt" {
			continue
		}
		out[fmt.Sprintf("%s %s/%s", u.GetKind(), u.GetNamespace(), u.GetName())] = text(t, u, owners)
	}
	return out
}

func gvkOf(k graph.Kind) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func text(t testing.TB, u *unstructured.Unstructured, owners map[string]string) string {
	t.Helper()
	u = u.DeepCopy()
	var refs []string
	for _, r := range u.GetOwnerReferences() {
		name := owners[string(r.UID)]
		if name == "" {
			name = "DANGLING " + r.Kind + " " + r.Name
		}
		refs = append(refs, name)
	}
	managers := managersText(u, owners)
	for _, f := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences"} {
		unstructured.RemoveNestedField(u.Object, "metadata", f)
	}
	u.Object["owners"], u.Object["managers"] = refs, managers
	data, err := json.MarshalIndent(u.Object, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// managersText is which manager owns which fields, without times, and with owners by name.
func managersText(u *unstructured.Unstructured, owners map[string]string) []string {
	var out []string
	for _, f := range u.GetManagedFields() {
		raw := ""
		if f.FieldsV1 != nil {
			raw = f.FieldsV1.GetRawString()
		}
		for uid, name := range owners {
			if strings.Contains(raw, uid) {
				raw = strings.ReplaceAll(raw, uid, name)
			}
		}
		var sorted any
		if json.Unmarshal([]byte(raw), &sorted) == nil { // owners are sorted by their UIDs there
			data, _ := json.Marshal(sorted)
			raw = string(data)
		}
		out = append(out, strings.Join([]string{f.Manager, string(f.Operation), f.Subresource, f.APIVersion, raw}, " "))
	}
	sort.Strings(out)
	return out
}

// same fails the test where two worlds differ.
func sameWorld(t testing.TB, what string, want, got world) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		if len(d) > 6000 {
			d = d[:6000] + "…"
		}
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// clear deletes everything of the graphs' kinds in namespaces, however it is held.
func clear(t testing.TB, c *kube.Client, version string, namespaces ...string) {
	t.Helper()
	ctx := context.Background()
	kinds := []schema.GroupVersionKind{{Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "ConfigMap"}}
	for _, k := range graph.Kinds(version) {
		kinds = append(kinds, gvkOf(k))
	}
	for _, gvk := range kinds {
		list, err := c.List(ctx, gvk, kube.ListOptions{MetadataOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			if u.GetNamespace() != "" && !contains(namespaces, u.GetNamespace()) {
				continue
			}
			target := kube.Target{GVK: gvk, Namespace: u.GetNamespace(), Name: u.GetName()}
			if len(u.GetFinalizers()) > 0 {
				if _, err := c.SendPatch(ctx, target, "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.SendDelete(ctx, target, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
