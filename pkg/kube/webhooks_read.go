// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"
	"net/url"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hooksOf reads the webhooks of a webhook configuration, or the conversion webhook of a CRD.
func hooksOf(u *unstructured.Unstructured) []hook {
	gk := u.GroupVersionKind().GroupKind()
	if gk == gkCRD {
		strategy, _, _ := unstructured.NestedString(u.Object, "spec", "conversion", "strategy")
		config, _, _ := unstructured.NestedMap(u.Object, "spec", "conversion", "webhook", "clientConfig")
		if strategy != "Webhook" || config == nil {
			return nil
		}
		h := hook{sort: gkCRD, name: u.GetName(), crd: crdOf(u)}
		h.readClientConfig(config)
		return []hook{h}
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "webhooks")
	var out []hook
	var names []string
	for _, item := range list {
		m, _ := item.(map[string]any)
		h := hook{sort: gk, name: str(m["name"])}
		h.rules = readRules(m)
		h.namespace, _, _ = unstructured.NestedMap(m, "namespaceSelector")
		h.object, _, _ = unstructured.NestedMap(m, "objectSelector")
		config, _, _ := unstructured.NestedMap(m, "clientConfig")
		h.readClientConfig(config)
		out = append(out, h)
		names = append(names, h.name)
	}
	for i := range out {
		out[i].siblings = names
	}
	return out
}

func (h *hook) readClientConfig(m map[string]any) {
	h.url, h.caBundle = str(m["url"]), str(m["caBundle"])
	s, _, _ := unstructured.NestedMap(m, "service")
	h.service = service{namespace: str(s["namespace"]), name: str(s["name"]), path: str(s["path"]), port: 443}
	switch port := s["port"].(type) {
	case int64:
		h.service.port = port
	case float64:
		h.service.port = int64(port)
	}
}

func readRules(m map[string]any) []rule {
	list, _, _ := unstructured.NestedSlice(m, "rules")
	var out []rule
	for _, item := range list {
		r, _ := item.(map[string]any)
		get := func(field string) []string {
			s, _, _ := unstructured.NestedStringSlice(r, field)
			return s
		}
		out = append(out, rule{groups: get("apiGroups"), versions: get("apiVersions"), resources: get("resources"), operations: get("operations")})
	}
	return out
}

// server names where a webhook is, without its path.
func (h hook) server() string {
	if h.url == "" {
		return fmt.Sprintf("service %s/%s:%d", h.service.namespace, h.service.name, h.service.port)
	}
	u, err := url.Parse(h.url)
	if err != nil {
		return h.url
	}
	return u.Scheme + "://" + u.Host
}
