// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"fmt"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Ref is a reference from one object to another. Version is empty where the contract finds it by discovery (v1beta2).
type Ref struct {
	// Field is where the reference stands, for example "spec.infrastructureRef".
	Field string
	// Group, Version, Kind, Namespace and Name say what is referred to; Namespace is that of the
	// referring object unless the reference has its own.
	Group, Version, Kind, Namespace, Name string
}

// GroupKind is the referenced object's group and kind.
func (r Ref) GroupKind() schema.GroupKind { return schema.GroupKind{Group: r.Group, Kind: r.Kind} }

// String is "Kind namespace/name".
func (r Ref) String() string {
	if r.Namespace == "" {
		return fmt.Sprintf("%s %s", r.Kind, r.Name)
	}
	return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name)
}

// Refs returns all references in the spec of an object, in the order of their fields: every field that is called ref or ends
// in Ref and has a kind and a name, with an apiVersion or an apiGroup, and a Cluster's class.
func Refs(u *unstructured.Unstructured) []Ref {
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return nil
	}
	var out []Ref
	walkRefs("spec", spec, u, &out)
	return out
}

// RefAt returns the reference in one field, nil if there is none.
func RefAt(u *unstructured.Unstructured, path ...string) *Ref {
	m := object(u, path...)
	if m == nil {
		return nil
	}
	return readRef(strings.Join(path, "."), m, u)
}

func walkRefs(path string, v any, u *unstructured.Unstructured, out *[]Ref) {
	switch node := v.(type) {
	case map[string]any:
		if path == "spec.topology" && u.GroupVersionKind().GroupKind() == ClusterGK() {
			if r := classRef(u); r != nil {
				*out = append(*out, *r)
			}
		}
		if r := readRef(path, node, u); r != nil && isRefField(path) {
			*out = append(*out, *r)
			return
		}
		for _, k := range sortedKeys(node) {
			walkRefs(path+"."+k, node[k], u, out)
		}
	case []any:
		for i, item := range node {
			walkRefs(fmt.Sprintf("%s[%d]", path, i), item, u, out)
		}
	}
}

func isRefField(path string) bool {
	last := path[strings.LastIndex(path, ".")+1:]
	return last == "ref" || strings.HasSuffix(last, "Ref")
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func readRef(field string, m map[string]any, u *unstructured.Unstructured) *Ref {
	w := &unstructured.Unstructured{Object: m}
	r := Ref{Field: field, Kind: str(w, "kind"), Name: str(w, "name"), Namespace: str(w, "namespace")}
	if r.Kind == "" || r.Name == "" {
		return nil
	}
	if gv, err := schema.ParseGroupVersion(str(w, "apiVersion")); err == nil {
		r.Group, r.Version = gv.Group, gv.Version
	}
	if group := str(w, "apiGroup"); group != "" {
		r.Group, r.Version = group, ""
	}
	if r.Namespace == "" {
		r.Namespace = u.GetNamespace()
	}
	return &r
}

// classRef is the class of a Cluster: spec.topology.classRef in v1beta2, spec.topology.class and
// classNamespace before.
func classRef(u *unstructured.Unstructured) *Ref {
	name := firstStr(u, []string{"spec", "topology", "classRef", "name"}, []string{"spec", "topology", "class"})
	if name == "" {
		return nil
	}
	ns := firstStr(u, []string{"spec", "topology", "classRef", "namespace"}, []string{"spec", "topology", "classNamespace"})
	if ns == "" {
		ns = u.GetNamespace()
	}
	return &Ref{Field: "spec.topology", Group: GroupCore, Kind: KindClusterClass, Namespace: ns, Name: name}
}
