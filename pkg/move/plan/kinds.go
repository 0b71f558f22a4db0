// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Labels that ask for an object, or all objects of a CRD, to be moved; the second with all that it owns. Their value doesn't matter.
// Source: Cluster API's book, "clusterctl provider contract", section Move.
const (
	moveLabel      = "clusterctl.cluster.x-k8s.io/move"
	hierarchyLabel = "clusterctl.cluster.x-k8s.io/move-hierarchy"
)

// Kind is what has to be known of a kind.
type Kind struct {
	schema.GroupVersionKind
	// Plural and Short are other names of it, for flags.
	Plural string
	Short  []string
	// Namespaced says whether its objects are in namespaces.
	Namespaced bool
	// Status says that it has a status subresource.
	Status bool
	// Labelled says that the CRD asks for its objects to be moved, Hierarchy that it asks for what they own too.
	Labelled, Hierarchy bool
	// Stored are versions other than its own in which objects may still be stored.
	Stored []string
	// CRD is the name of its definition; empty for a built-in kind.
	CRD string
}

// CAPI says whether the kind is Cluster API's or a provider's by its group, and describes clusters. The groups in which clusterctl and
// the Cluster API Operator describe the management cluster itself aren't.
func (k Kind) CAPI() bool {
	if k.Group == "clusterctl.cluster.x-k8s.io" || k.Group == "operator.cluster.x-k8s.io" {
		return false
	}
	return k.Group == capi.GroupSuffix || strings.HasSuffix(k.Group, "."+capi.GroupSuffix)
}

// Kinds are all kinds that can be moved, by group and kind.
type Kinds map[schema.GroupKind]Kind

// Converted are the same kinds where it doesn't matter in which version objects are stored.
func (ks Kinds) Converted() Kinds {
	out := make(Kinds, len(ks))
	for gk, k := range ks {
		k.Stored = nil
		out[gk] = k
	}
	return out
}

// builtIn are the kinds that can be moved besides those of CRDs.
func builtIn() []Kind {
	return []Kind{
		{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Plural: "secrets", Namespaced: true},
		{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Plural: "configmaps", Short: []string{"cm"}, Namespaced: true},
	}
}

// ReadKinds reads the definitions of all kinds that could be moved.
func ReadKinds(ctx context.Context, c *kube.Client) (Kinds, error) {
	crds, err := c.List(ctx, schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}, kube.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := Kinds{}
	for _, k := range builtIn() {
		out[k.GroupKind()] = k
	}
	for _, crd := range crds {
		if k, ok := readKind(crd); ok {
			out[k.GroupKind()] = k
		}
	}
	return out, nil
}

func readKind(crd *unstructured.Unstructured) (Kind, bool) {
	str := func(path ...string) string {
		s, _, _ := unstructured.NestedString(crd.Object, path...)
		return s
	}
	k := Kind{CRD: crd.GetName(), Plural: str("spec", "names", "plural"), Namespaced: str("spec", "scope") == "Namespaced"}
	k.Group, k.GroupVersionKind.Kind = str("spec", "group"), str("spec", "names", "kind")
	k.Short, _, _ = unstructured.NestedStringSlice(crd.Object, "spec", "names", "shortNames")
	_, k.Labelled = crd.GetLabels()[moveLabel]
	_, k.Hierarchy = crd.GetLabels()[hierarchyLabel]
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		m, _ := v.(map[string]any)
		if storage, _ := m["storage"].(bool); storage {
			k.Version, _ = m["name"].(string)
			_, k.Status, _ = unstructured.NestedMap(m, "subresources", "status")
		}
	}
	stored, _, _ := unstructured.NestedStringSlice(crd.Object, "status", "storedVersions")
	k.Stored = slices.DeleteFunc(stored, func(v string) bool { return v == k.Version })
	return k, k.Version != ""
}

// named finds kinds by what a person or a reference calls them: kind, plural or short name, with or without ".group".
func (ks Kinds) named(name string) []Kind {
	name, group, grouped := strings.Cut(name, ".")
	var out []Kind
	for _, k := range ks {
		if grouped && k.Group != group {
			continue
		}
		if strings.EqualFold(name, k.GroupVersionKind.Kind) || strings.EqualFold(name, k.Plural) || slices.Contains(k.Short, strings.ToLower(name)) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b Kind) int { return strings.Compare(a.String(), b.String()) })
	return out
}
