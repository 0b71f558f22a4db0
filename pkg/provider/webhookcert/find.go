// SPDX-License-Identifier: Apache-2.0

package webhookcert

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// Group is the group of cert-manager's kinds and, with a slash, the prefix of its annotations.
	Group      = "cert-manager.io"
	injectFrom = Group + "/inject-ca-from"
	inject     = Group + "/inject-"
)

// Key names a namespaced object.
type Key struct{ Namespace, Name string }

// String is the key as cert-manager's annotations have it.
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Certificate is one of cert-manager's Certificates among the components.
type Certificate struct {
	// Key names the Certificate, Secret what it is stored in.
	Key    Key
	Secret Key
	// DNS are the names of the server.
	DNS []string
}

// isCertManager says whether an object is of one of cert-manager's kinds.
func isCertManager(o *unstructured.Unstructured) bool {
	g := o.GroupVersionKind().Group
	return g == Group || strings.HasSuffix(g, "."+Group)
}

// Used says whether objects use cert-manager at all.
func Used(objs []*unstructured.Unstructured) bool {
	return slices.ContainsFunc(objs, func(o *unstructured.Unstructured) bool { return isCertManager(o) || len(injections(o)) > 0 })
}

// Certificates lists the Certificates among objects, in their order.
func Certificates(objs []*unstructured.Unstructured) []Certificate {
	var out []Certificate
	for _, o := range objs {
		if isCertManager(o) && o.GetKind() == "Certificate" {
			secret, _, _ := unstructured.NestedString(o.Object, "spec", "secretName")
			names, _, _ := unstructured.NestedStringSlice(o.Object, "spec", "dnsNames")
			out = append(out, Certificate{Key: keyOf(o), Secret: Key{o.GetNamespace(), secret}, DNS: names})
		}
	}
	return out
}

func keyOf(o *unstructured.Unstructured) Key { return Key{o.GetNamespace(), o.GetName()} }

// injections are an object's annotations that ask cert-manager for an authority's certificate.
func injections(o *unstructured.Unstructured) map[string]string {
	out := map[string]string{}
	for name, value := range o.GetAnnotations() {
		if strings.HasPrefix(name, inject) {
			out[name] = value
		}
	}
	return out
}

// Others lists what among objects needs cert-manager for something else than a webhook's certificate, one line each, with the reason.
func Others(objs []*unstructured.Unstructured) []string {
	selfSigned, certificates, injected, secrets := map[Key]bool{}, map[string]bool{}, map[string]bool{}, map[Key]bool{}
	for _, o := range objs {
		switch {
		case isIssuer(o):
			_, selfSigned[keyOf(o)], _ = unstructured.NestedMap(o.Object, "spec", "selfSigned")
		case isCertManager(o) && o.GetKind() == "Certificate":
			certificates[keyOf(o).String()] = true
		case o.GetKind() == "Secret" && o.GetAPIVersion() == "v1":
			secrets[keyOf(o)] = true
		}
		injected[o.GetAnnotations()[injectFrom]] = true
	}
	var out []string
	for _, o := range objs {
		why := ""
		switch {
		case isIssuer(o):
			if !selfSigned[keyOf(o)] {
				why = "it isn't self-signed"
			}
		case isCertManager(o) && o.GetKind() == "Certificate":
			why = special(o, selfSigned, injected, secrets)
		case isCertManager(o):
			why = "no webhook's certificate comes from it"
		default:
			why = unfit(o, certificates)
		}
		if why != "" {
			out = append(out, fmt.Sprintf("%s %s: %s", o.GetKind(), strings.TrimPrefix(keyOf(o).String(), "/"), why))
		}
	}
	return out
}

func isIssuer(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == Group && o.GetKind() == "Issuer"
}

// special says what makes a Certificate another one than a webhook's.
func special(o *unstructured.Unstructured, selfSigned map[Key]bool, injected map[string]bool, secrets map[Key]bool) string {
	cert := Certificates([]*unstructured.Unstructured{o})[0]
	issuer, _, _ := unstructured.NestedString(o.Object, "spec", "issuerRef", "name")
	kind, _, _ := unstructured.NestedString(o.Object, "spec", "issuerRef", "kind")
	ca, _, _ := unstructured.NestedBool(o.Object, "spec", "isCA")
	switch {
	case ca:
		return "it is an authority of its own"
	case kind != "" && kind != "Issuer", !selfSigned[Key{o.GetNamespace(), issuer}]:
		return fmt.Sprintf("its issuer %s isn't a self-signed one among the components", issuer)
	case cert.Secret.Name == "":
		return "it has no spec.secretName"
	case len(cert.DNS) == 0:
		return "it has no spec.dnsNames"
	case secrets[cert.Secret]:
		return fmt.Sprintf("the components bring its Secret %s themselves", cert.Secret.Name)
	case !injected[cert.Key.String()]:
		return "no webhook is called by it"
	}
	return ""
}

// unfit says why an authority's certificate can't be put into an object by us.
func unfit(o *unstructured.Unstructured, certificates map[string]bool) string {
	for name, value := range injections(o) {
		switch {
		case name != injectFrom:
			return "annotation " + name
		case !certificates[value]:
			return fmt.Sprintf("Certificate %s isn't among the components", value)
		case !isWebhookConfig(o) && !isCRD(o):
			return "annotation " + name
		}
	}
	return ""
}

func isWebhookConfig(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == "admissionregistration.k8s.io" &&
		(o.GetKind() == "ValidatingWebhookConfiguration" || o.GetKind() == "MutatingWebhookConfiguration")
}

func isCRD(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == "apiextensions.k8s.io" && o.GetKind() == "CustomResourceDefinition"
}
