// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

// servedWebhooks copies what sends requests to webhooks — webhook configurations, CRDs that convert — without the
// webhooks that nothing in the objects can answer: no workload stands behind their Service. Those are named instead.
func servedWebhooks(objs []*unstructured.Unstructured) (served []*unstructured.Unstructured, unserved []string) {
	for _, o := range objs {
		switch {
		case isCRD(o):
			cfg, converts, _ := unstructured.NestedMap(o.Object, "spec", "conversion", "webhook", "clientConfig")
			if converts && answered(cfg, objs) {
				served = append(served, o)
			} else if converts {
				unserved = append(unserved, "conversion webhook of "+o.GetName())
			}
		case isWebhookConfig(o):
			hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
			var kept []any
			for _, h := range hooks {
				m, _ := h.(map[string]any)
				cfg, _, _ := unstructured.NestedMap(m, "clientConfig")
				if answered(cfg, objs) {
					kept = append(kept, h)
					continue
				}
				unserved = append(unserved, fmt.Sprintf("webhook %v of %s", m["name"], o.GetName()))
			}
			if len(kept) > 0 {
				c := o.DeepCopy()
				_ = unstructured.SetNestedSlice(c.Object, kept, "webhooks")
				served = append(served, c)
			}
		}
	}
	return served, unserved
}

// answered says if something can answer: a URL is somebody's promise; a Service needs a workload with its selector.
func answered(clientConfig map[string]any, objs []*unstructured.Unstructured) bool {
	if u, _, _ := unstructured.NestedString(clientConfig, "url"); u != "" {
		return true
	}
	ns, _, _ := unstructured.NestedString(clientConfig, "service", "namespace")
	name, _, _ := unstructured.NestedString(clientConfig, "service", "name")
	for _, o := range objs {
		if o.GetKind() != "Service" || o.GetAPIVersion() != "v1" || o.GetNamespace() != ns || o.GetName() != name {
			continue
		}
		selector, _, _ := unstructured.NestedStringMap(o.Object, "spec", "selector")
		return len(selector) > 0 && slices.ContainsFunc(objs, func(w *unstructured.Unstructured) bool { return runsPods(w, ns, selector) })
	}
	return false
}

func runsPods(w *unstructured.Unstructured, ns string, selector map[string]string) bool {
	if !isWorkload(w) || w.GetNamespace() != ns {
		return false
	}
	if n, found, _ := unstructured.NestedInt64(w.Object, "spec", "replicas"); found && n == 0 {
		return false
	}
	podLabels, _, _ := unstructured.NestedStringMap(w.Object, "spec", "template", "metadata", "labels")
	return labels.SelectorFromSet(selector).Matches(labels.Set(podLabels))
}

// splitGuarded takes out the custom resources that a served webhook checks: they have to wait until it answers.
func splitGuarded(objs, webhooks []*unstructured.Unstructured) (main, guarded []*unstructured.Unstructured) {
	plurals := map[string]string{} // group/kind → resource
	for _, o := range objs {
		if isCRD(o) {
			group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
			kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
			plurals[group+"/"+kind], _, _ = unstructured.NestedString(o.Object, "spec", "names", "plural")
		}
	}
	for _, o := range objs {
		gk := o.GroupVersionKind().GroupKind()
		resource, custom := plurals[gk.Group+"/"+gk.Kind]
		if custom && slices.ContainsFunc(webhooks, func(w *unstructured.Unstructured) bool { return checks(w, gk.Group, resource) }) {
			guarded = append(guarded, o)
			continue
		}
		main = append(main, o)
	}
	return main, guarded
}

// checks says if a webhook configuration has a rule for the resource.
func checks(config *unstructured.Unstructured, group, resource string) bool {
	hooks, _, _ := unstructured.NestedSlice(config.Object, "webhooks")
	for _, h := range hooks {
		m, _ := h.(map[string]any)
		rules, _, _ := unstructured.NestedSlice(m, "rules")
		for _, r := range rules {
			rule, _ := r.(map[string]any)
			groups, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
			resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
			if names(groups, group) && (names(resources, resource) || slices.Contains(resources, "*/*")) {
				return true
			}
		}
	}
	return false
}

func names(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

func isWorkload(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == "apps" && slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, o.GetKind())
}

func isCRD(o *unstructured.Unstructured) bool {
	return o.GetKind() == "CustomResourceDefinition" && o.GroupVersionKind().Group == "apiextensions.k8s.io"
}

func isWebhookConfig(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == "admissionregistration.k8s.io" &&
		(o.GetKind() == "ValidatingWebhookConfiguration" || o.GetKind() == "MutatingWebhookConfiguration")
}
