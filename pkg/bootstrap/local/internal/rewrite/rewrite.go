// SPDX-License-Identifier: Apache-2.0

// Package rewrite changes provider components so that an API server without pods and without
// cert-manager can use them: webhooks are called by URL, and certificates are ours.
package rewrite

import (
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Host is what rewriting needs to know of the bootstrap cluster.
type Host struct {
	// CABundle is the certificate (PEM) of the authority that signs what Serve returns.
	CABundle []byte
	// Port gives the host's port for a container port, by its name, or its number if it has none. The same question has always the same answer.
	Port func(namespace, deployment, port string) (int, error)
	// Serve gives certificate and key (PEM) of a serving certificate, for names and 127.0.0.1.
	Serve func(namespace, secret string, names []string) (cert, key []byte, err error)
}

// certManager is the group of cert-manager's kinds and, with a slash, the prefix of its annotations.
const certManager = "cert-manager.io"

// Components rewrites components; objs and the objects in it stay as they are.
func Components(objs []*unstructured.Unstructured, h Host) ([]*unstructured.Unstructured, error) {
	idx := newIndex(objs)
	out := make([]*unstructured.Unstructured, 0, len(objs))
	for _, obj := range objs {
		changed, err := one(obj, idx, h)
		if err != nil {
			return nil, fmt.Errorf("prepare %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
		if changed != nil {
			out = append(out, changed)
		}
	}
	return out, nil
}

func one(obj *unstructured.Unstructured, idx *index, h Host) (*unstructured.Unstructured, error) {
	gk := obj.GroupVersionKind().GroupKind()
	if gk.Group == certManager || strings.HasSuffix(gk.Group, "."+certManager) {
		if gk.Kind == "Certificate" {
			return secret(obj, idx, h)
		}
		return nil, nil // Nothing instead of it.
	}
	switch gk.Kind {
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		obj = withoutInjection(obj.DeepCopy())
		return obj, webhooks(obj, idx, h)
	case "CustomResourceDefinition":
		obj = withoutInjection(obj.DeepCopy())
		return obj, conversion(obj, idx, h)
	}
	return withoutInjection(obj), nil
}

// withoutInjection removes cert-manager's annotations: nobody acts on them.
func withoutInjection(obj *unstructured.Unstructured) *unstructured.Unstructured {
	before := obj.GetAnnotations()
	after := maps.Clone(before)
	maps.DeleteFunc(after, func(key, _ string) bool { return strings.HasPrefix(key, certManager+"/") })
	if len(after) == len(before) {
		return obj
	}
	obj = obj.DeepCopy()
	if len(after) == 0 {
		after = nil
	}
	obj.SetAnnotations(after)
	return obj
}

// secret is what cert-manager would have made of a Certificate.
func secret(cert *unstructured.Unstructured, idx *index, h Host) (*unstructured.Unstructured, error) {
	name, _, _ := unstructured.NestedString(cert.Object, "spec", "secretName")
	if name == "" {
		return nil, fmt.Errorf("it has no spec.secretName")
	}
	if idx.secrets[key{cert.GetNamespace(), name}] {
		return nil, nil // The components bring the secret themselves.
	}
	names, _, err := unstructured.NestedStringSlice(cert.Object, "spec", "dnsNames")
	if err != nil {
		return nil, err
	}
	certPEM, keyPEM, err := h.Serve(cert.GetNamespace(), name, names)
	if err != nil {
		return nil, err
	}
	s := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "Secret",
		"type":       "kubernetes.io/tls",
		"data": map[string]any{
			"ca.crt":  encode(h.CABundle),
			"tls.crt": encode(certPEM),
			"tls.key": encode(keyPEM),
		},
	}}
	s.SetNamespace(cert.GetNamespace())
	s.SetName(name)
	s.SetLabels(cert.GetLabels())
	return s, nil
}
