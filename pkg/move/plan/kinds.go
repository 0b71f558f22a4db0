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

// Groups that describe the management cluster itself: what is installed on it. They stay where they are.
const (
	groupInventory = "clusterctl.cluster.x-k8s.io"
	groupOperator  = "operator.cluster.x-k8s.io"
)

// injectAnnotation names, as "namespace/certificate", whose certificate a CRD's conversion webhook shows. Source: cert-manager's documentation
// of its CA injector.
const injectAnnotation = "cert-manager.io/inject-ca-from"

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
	// Stored are versions other than the one it is stored in now in which objects may still be stored.
	Stored []string
	// CRD is the name of its definition; empty for a built-in kind.
	CRD string
	// Home is the namespace of the controllers that serve it, where known. A cluster-scoped object that names a Secret
	// without a namespace means one of there.
	Home string
	// Provider is what that says of itself in its label, for example "infrastructure-vsphere".
	Provider string
}

// CAPI says whether the kind is Cluster API's or a provider's by its group, and describes clusters. The groups in which clusterctl and
// the Cluster API Operator describe the management cluster itself aren't.
func (k Kind) CAPI() bool {
	if !k.movable() {
		return false
	}
	return k.Group == capi.GroupSuffix || strings.HasSuffix(k.Group, "."+capi.GroupSuffix)
}

func (k Kind) movable() bool { return k.Group != groupInventory && k.Group != groupOperator }

// labelled says whether the definition asks for objects of the kind to be moved.
func (k Kind) labelled() bool { return k.Labelled || k.Hierarchy }

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

func secretGK() schema.GroupKind    { return schema.GroupKind{Kind: "Secret"} }
func configMapGK() schema.GroupKind { return schema.GroupKind{Kind: "ConfigMap"} }

// builtIn are the kinds that can be moved besides those of CRDs.
func builtIn() []Kind {
	return []Kind{
		{GroupVersionKind: secretGK().WithVersion("v1"), Plural: "secrets", Namespaced: true},
		{GroupVersionKind: configMapGK().WithVersion("v1"), Plural: "configmaps", Short: []string{"cm"}, Namespaced: true},
	}
}

// ReadKinds reads the definitions of all kinds that could be moved.
func ReadKinds(ctx context.Context, c *kube.Client) (Kinds, error) {
	var crds []*unstructured.Unstructured
	err := kube.Retry(ctx, func(ctx context.Context) error {
		var err error
		crds, err = c.List(ctx, schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}, kube.ListOptions{})
		return err
	})
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

// readKind takes out of a definition what a plan needs; the schemas, which are most of it, aren't kept. A definition that the server
// hasn't accepted has no objects.
func readKind(crd *unstructured.Unstructured) (Kind, bool) {
	k := Kind{CRD: crd.GetName(), Plural: textAt(crd, "spec", "names", "plural"), Namespaced: textAt(crd, "spec", "scope") == "Namespaced"}
	k.Group, k.Kind = textAt(crd, "spec", "group"), textAt(crd, "spec", "names", "kind")
	k.Short, _, _ = unstructured.NestedStringSlice(crd.Object, "spec", "names", "shortNames")
	_, k.Labelled = crd.GetLabels()[moveLabel]
	_, k.Hierarchy = crd.GetLabels()[hierarchyLabel]
	k.Provider = crd.GetLabels()[capi.ProviderLabel]
	k.Home = textAt(crd, "spec", "conversion", "webhook", "clientConfig", "service", "namespace")
	if k.Home == "" {
		if ns, _, ok := strings.Cut(crd.GetAnnotations()[injectAnnotation], "/"); ok {
			k.Home = ns
		}
	}
	storage, served := "", ""
	for _, v := range items(crd, "spec", "versions") {
		name, _ := v["name"].(string)
		if v["served"] == true {
			served = name
		}
		if v["storage"] == true {
			storage = name
			_, k.Status = field(v, "subresources", "status").(map[string]any)
			k.Version = name
			if v["served"] != true {
				k.Version = "" // it can't be read like that
			}
		}
	}
	if k.Version == "" {
		k.Version = served
	}
	stored, _, _ := unstructured.NestedStringSlice(crd.Object, "status", "storedVersions")
	k.Stored = slices.DeleteFunc(stored, func(v string) bool { return v == storage })
	return k, k.Version != "" && established(crd)
}

func established(crd *unstructured.Unstructured) bool {
	for _, c := range items(crd, "status", "conditions") {
		if c["type"] == "Established" && c["status"] == "False" {
			return false
		}
	}
	return true
}
