// SPDX-License-Identifier: Apache-2.0

package webhookcert

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/pki"
)

// Annotation marks the Secrets that hold certificates of ours.
const Annotation = "clusterctl.cluster.x-k8s.io/webhook-certificate"

// validity is long, because nobody but the next run makes a new one.
const validity = 10 * 365 * 24 * time.Hour

// Issue gives objects that need no cert-manager: Secrets in place of Certificates, no Issuers, and the authorities' certificates in webhook
// configurations and CRDs. stored are Secrets that the cluster has, by their keys; what they hold is kept if it is good for 30 more
// days. The objects given stay as they are. What Others lists isn't looked at.
func Issue(objs []*unstructured.Unstructured, stored map[Key]*unstructured.Unstructured, now time.Time) ([]*unstructured.Unstructured, error) {
	secrets, bundles := map[Key]*unstructured.Unstructured{}, map[string]string{}
	for _, cert := range Certificates(objs) {
		data, err := content(cert, stored[cert.Secret], now)
		if err != nil {
			return nil, fmt.Errorf("make certificate %s: %w", cert.Key, err)
		}
		secrets[cert.Key] = secret(cert, data)
		bundles[cert.Key.String()], _ = data["ca.crt"].(string)
	}
	out := make([]*unstructured.Unstructured, 0, len(objs))
	for _, o := range objs {
		switch {
		case isCertManager(o) && o.GetKind() == "Certificate":
			s := secrets[keyOf(o)]
			s.SetLabels(o.GetLabels())
			out = append(out, s)
		case isCertManager(o):
		default:
			out = append(out, trusting(o, bundles))
		}
	}
	return out, nil
}

// request is what a certificate must be.
func request(names []string) pki.Request {
	cn := "webhook"
	if len(names) > 0 && len(names[0]) <= 64 { // The longest common name that X.509 allows.
		cn = names[0]
	}
	return pki.Request{CommonName: cn, Server: true, DNS: names, For: validity}
}

// content is a Secret's data: the stored one if it will do, else new.
func content(cert Certificate, stored *unstructured.Unstructured, now time.Time) (map[string]any, error) {
	r := request(cert.DNS)
	bundle, pair := read(stored)
	if pki.Good(bundle, pair, r, now) {
		return data(bundle, pair), nil
	}
	ca, err := pki.NewCA("webhooks")
	if err != nil {
		return nil, err
	}
	if pair, err = ca.Issue(r); err != nil {
		return nil, err
	}
	return data(append(ca.PEM, newest(bundle, now)...), pair), nil
}

// read gives what a Secret holds; what is damaged is empty.
func read(stored *unstructured.Unstructured) (bundle []byte, pair pki.Pair) {
	if stored == nil {
		return nil, pki.Pair{}
	}
	get := func(name string) []byte {
		text, _, _ := unstructured.NestedString(stored.Object, "data", name)
		raw, _ := base64.StdEncoding.DecodeString(text)
		return raw
	}
	return get("ca.crt"), pki.Pair{Cert: get("tls.crt"), Key: get("tls.key")}
}

// newest is the first certificate of a bundle if it still holds: managers show what it signed for a while.
func newest(bundle []byte, now time.Time) []byte {
	block, _ := pem.Decode(bundle)
	if block == nil {
		return nil
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil || now.After(cert.NotAfter) {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: block.Bytes})
}

func data(bundle []byte, pair pki.Pair) map[string]any {
	encode := base64.StdEncoding.EncodeToString
	return map[string]any{"ca.crt": encode(bundle), "tls.crt": encode(pair.Cert), "tls.key": encode(pair.Key)}
}

func secret(cert Certificate, data map[string]any) *unstructured.Unstructured {
	s := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "data": data}}
	s.SetNamespace(cert.Secret.Namespace)
	s.SetName(cert.Secret.Name)
	s.SetAnnotations(map[string]string{Annotation: "builtin"})
	return s
}

// trusting puts the authority's certificate where cert-manager would have, and takes its annotations off: where it runs
// all the same, it would put something else there.
func trusting(o *unstructured.Unstructured, bundles map[string]string) *unstructured.Unstructured {
	bundle, found := bundles[o.GetAnnotations()[injectFrom]]
	if !found {
		return o
	}
	o = o.DeepCopy()
	annotations := maps.Clone(o.GetAnnotations())
	maps.DeleteFunc(annotations, func(name, _ string) bool { return strings.HasPrefix(name, inject) })
	if len(annotations) == 0 {
		annotations = nil
	}
	o.SetAnnotations(annotations)
	if isCRD(o) {
		if cfg, ok, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "conversion", "webhook", "clientConfig"); ok {
			setBundle(cfg, bundle)
		}
		return o
	}
	hooks, _, _ := unstructured.NestedFieldNoCopy(o.Object, "webhooks")
	list, _ := hooks.([]any)
	for _, item := range list {
		if hook, ok := item.(map[string]any); ok {
			setBundle(hook["clientConfig"], bundle)
		}
	}
	return o
}

func setBundle(clientConfig any, bundle string) {
	if cfg, ok := clientConfig.(map[string]any); ok {
		cfg["caBundle"] = bundle
	}
}
