// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// scopes knows which kinds live in namespaces: the built-in ones by heart, others from the CRDs of a set.
type scopes map[schema.GroupKind]bool

// scopesOf reads the scopes out of the CRDs in a set of objects.
func scopesOf(objs []*unstructured.Unstructured) scopes {
	out := scopes{}
	for _, o := range objs {
		if !isCRD(o) {
			continue
		}
		scope, _, _ := unstructured.NestedString(o.Object, "spec", "scope")
		out[crdKind(o)] = scope != "Cluster"
	}
	return out
}

// namespaced says whether an object belongs into a namespace. Where nothing is known of its kind, it does if it
// already has one.
func (s scopes) namespaced(o *unstructured.Unstructured) bool {
	gk := o.GroupVersionKind().GroupKind()
	if in, known := s[gk]; known {
		return in
	}
	if clusterScoped(gk) {
		return false
	}
	return builtIn(gk.Group) || o.GetNamespace() != ""
}

func isCRD(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().GroupKind() == schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

// crdKind is the kind that a CRD defines.
func crdKind(crd *unstructured.Unstructured) schema.GroupKind {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}

// builtIn names the groups whose kinds are all known here: those of Kubernetes itself, and cert-manager's.
func builtIn(group string) bool {
	switch group {
	case "", "apps", "batch", "autoscaling", "policy", "extensions", "admissionregistration.k8s.io", "apiextensions.k8s.io",
		"apiregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io", "certificates.k8s.io", "coordination.k8s.io",
		"discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "networking.k8s.io",
		"node.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io",
		"storagemigration.k8s.io", "cert-manager.io", "acme.cert-manager.io":
		return true
	}
	return false
}

// clusterScoped names the kinds of those groups that live outside of namespaces.
func clusterScoped(gk schema.GroupKind) bool {
	switch gk.Group {
	case "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "authentication.k8s.io",
		"flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "node.k8s.io", "scheduling.k8s.io", "storagemigration.k8s.io":
		return true
	case "authorization.k8s.io":
		return gk.Kind != "LocalSubjectAccessReview"
	case "certificates.k8s.io":
		return gk.Kind != "PodCertificateRequest"
	case "storage.k8s.io":
		return gk.Kind != "CSIStorageCapacity"
	}
	switch gk {
	case schema.GroupKind{Kind: "Namespace"}, schema.GroupKind{Kind: "Node"}, schema.GroupKind{Kind: "PersistentVolume"},
		schema.GroupKind{Kind: "ComponentStatus"},
		schema.GroupKind{Group: "policy", Kind: "PodSecurityPolicy"},
		schema.GroupKind{Group: "networking.k8s.io", Kind: "IngressClass"},
		schema.GroupKind{Group: "networking.k8s.io", Kind: "IPAddress"},
		schema.GroupKind{Group: "networking.k8s.io", Kind: "ServiceCIDR"},
		schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"},
		schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"},
		schema.GroupKind{Group: "resource.k8s.io", Kind: "DeviceClass"},
		schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceSlice"},
		schema.GroupKind{Group: "resource.k8s.io", Kind: "DeviceTaintRule"},
		schema.GroupKind{Group: "cert-manager.io", Kind: "ClusterIssuer"}:
		return true
	}
	return false
}
