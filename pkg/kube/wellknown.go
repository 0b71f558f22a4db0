// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// wellKnown are kinds of core v1, the one API version that every server has had from the first release on: they are
// read without asking the server which kinds it serves, which costs two requests and some megabytes. True: namespaced.
var wellKnown = map[string]struct {
	resource   string
	namespaced bool
}{
	"Secret":    {"secrets", true},
	"ConfigMap": {"configmaps", true},
	"Event":     {"events", true},
	"Namespace": {"namespaces", false},
}

// wellKnownMapping is the mapping of a well-known kind, nil for any other.
func wellKnownMapping(gvk schema.GroupVersionKind) *meta.RESTMapping {
	k, ok := wellKnown[gvk.Kind]
	if gvk.Group != "" || gvk.Version != "v1" || !ok {
		return nil
	}
	scope := meta.RESTScopeRoot
	if k.namespaced {
		scope = meta.RESTScopeNamespace
	}
	return &meta.RESTMapping{Resource: gvk.GroupVersion().WithResource(k.resource), GroupVersionKind: gvk, Scope: scope}
}
