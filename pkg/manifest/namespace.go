// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/naming"
)

// SetNamespace moves a set of provider components into one namespace: the namespaced objects, the Namespace object
// itself (there may be one at most; none is added), subjects of role bindings, services behind webhooks, CRD
// conversions and APIServices, the DNS names of cert-manager Certificates, and the annotations that name a
// Certificate or Secret to take a CA from. It changes the objects.
//
// Scopes of custom kinds come from the CRDs in the set; an object of an unknown kind moves if it has a namespace.
func SetNamespace(objs []*unstructured.Unstructured, ns string) error {
	if err := naming.Label("namespace", ns); err != nil {
		return err
	}
	home, err := homeNamespace(objs)
	if err != nil {
		return err
	}
	known := scopesOf(objs)
	for _, o := range objs {
		from := o.GetNamespace()
		if from == "" {
			from = home
		}
		switch {
		case isNamespace(o):
			o.SetName(ns)
		case known.namespaced(o):
			o.SetNamespace(ns)
		}
		if err := repoint(o, from, ns); err != nil {
			return fmt.Errorf("set namespace %q: %s %s: %w", ns, o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

func isNamespace(o *unstructured.Unstructured) bool {
	return o.GetKind() == "Namespace" && o.GetAPIVersion() == "v1"
}

// homeNamespace is the name of the one Namespace object in the set, or "".
func homeNamespace(objs []*unstructured.Unstructured) (string, error) {
	home := ""
	for _, o := range objs {
		if !isNamespace(o) {
			continue
		}
		if home != "" {
			return "", fault.Usagef("set namespace: the components hold more than one Namespace object (%s, %s)", home, o.GetName())
		}
		home = o.GetName()
	}
	return home, nil
}

// repoint changes what an object says about namespaces besides its own.
func repoint(o *unstructured.Unstructured, from, to string) error {
	if err := repointAnnotations(o, to); err != nil {
		return err
	}
	gk := o.GroupVersionKind().GroupKind()
	switch {
	case gk.Group == "rbac.authorization.k8s.io" && (gk.Kind == "RoleBinding" || gk.Kind == "ClusterRoleBinding"):
		each(o.Object, func(subject map[string]any) { retarget(subject, to) }, "subjects")
	case gk.Group == "admissionregistration.k8s.io" && strings.HasSuffix(gk.Kind, "WebhookConfiguration"):
		each(o.Object, func(hook map[string]any) { retarget(child(hook, "clientConfig", "service"), to) }, "webhooks")
	case isCRD(o):
		retarget(child(o.Object, "spec", "conversion", "webhook", "clientConfig", "service"), to)
		retarget(child(o.Object, "spec", "conversion", "webhookClientConfig", "service"), to) // v1beta1
	case gk.Group == "apiregistration.k8s.io" && gk.Kind == "APIService":
		retarget(child(o.Object, "spec", "service"), to)
	case gk.Group == "cert-manager.io" && gk.Kind == "Certificate":
		repointDNSNames(o, from, to)
	}
	return nil
}

// repointAnnotations handles the annotations of cert-manager's CA injector: namespace/name.
func repointAnnotations(o *unstructured.Unstructured, to string) error {
	annotations := o.GetAnnotations()
	changed := false
	for _, key := range []string{"cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret"} {
		value, ok := annotations[key]
		if !ok {
			continue
		}
		_, name, ok := strings.Cut(value, "/")
		if !ok || name == "" || strings.Contains(name, "/") {
			return fault.Usagef("the annotation %s is not of the form namespace/name", key)
		}
		annotations[key] = to + "/" + name
		changed = true
	}
	if changed {
		o.SetAnnotations(annotations)
	}
	return nil
}

// repointDNSNames changes service.namespace.svc and the like; names that don't hold the old namespace stay.
func repointDNSNames(o *unstructured.Unstructured, from, to string) {
	names, _, _ := unstructured.NestedSlice(o.Object, "spec", "dnsNames")
	if from == "" || len(names) == 0 {
		return
	}
	for i := range names {
		name, ok := names[i].(string)
		if !ok {
			continue
		}
		if head, ok := strings.CutSuffix(name, "."+from); ok {
			name = head + "." + to
		}
		names[i] = strings.Replace(name, "."+from+".", "."+to+".", 1)
	}
	child(o.Object, "spec")["dnsNames"] = names
}

// retarget sets the namespace of a reference that has one.
func retarget(ref map[string]any, to string) {
	if ns, ok := ref["namespace"].(string); ok && ns != "" {
		ref["namespace"] = to
	}
}

// child walks down mappings; nil where there is none.
func child(m map[string]any, path ...string) map[string]any {
	for _, key := range path {
		m, _ = m[key].(map[string]any)
	}
	return m
}

// each calls f for every mapping in a list below m.
func each(m map[string]any, f func(map[string]any), path ...string) {
	last := len(path) - 1
	items, _ := child(m, path[:last]...)[path[last]].([]any)
	for _, item := range items {
		if entry, ok := item.(map[string]any); ok {
			f(entry)
		}
	}
}
