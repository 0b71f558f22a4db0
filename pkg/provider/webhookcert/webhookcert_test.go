// SPDX-License-Identifier: Apache-2.0

package webhookcert

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/pki"
)

const (
	issuer      = "apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: self, namespace: pond}\nspec: {selfSigned: {}}\n"
	certificate = `apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: serving, namespace: pond, labels: {provider: pond}}
spec: {dnsNames: [hook.pond.svc, hook.pond.svc.cluster.local], issuerRef: {kind: Issuer, name: self}, secretName: hook-cert}
`
	validating = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: pond, annotations: {cert-manager.io/inject-ca-from: pond/serving, other: kept}}
webhooks: [{name: a.pond, clientConfig: {service: {name: hook, namespace: pond}}}, {name: b.pond, clientConfig: {url: "https://x"}}]
`
	crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: herons.pond, annotations: {cert-manager.io/inject-ca-from: pond/serving}}
spec: {conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: hook, namespace: pond}}}}}
`
	plain = "apiVersion: v1\nkind: Service\nmetadata: {name: hook, namespace: pond}\n"
)

func parse(t *testing.T, docs ...string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for _, d := range docs {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(d), &o.Object); err != nil {
			t.Fatalf("%v in\n%s", err, d)
		}
		out = append(out, o)
	}
	return out
}

func TestOthers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		docs []string
		want string
	}{
		"webhooks only":     {[]string{issuer, certificate, validating, crd, plain}, ""},
		"nothing":           {[]string{plain}, ""},
		"an authority":      {[]string{strings.Replace(issuer, "selfSigned: {}", "ca: {secretName: x}", 1)}, "Issuer pond/self: it isn't self-signed"},
		"a cluster's":       {[]string{strings.Replace(issuer, "kind: Issuer", "kind: ClusterIssuer", 1)}, "ClusterIssuer pond/self"},
		"another issuer":    {[]string{certificate, validating}, "its issuer self isn't"},
		"nobody calls it":   {[]string{issuer, certificate}, "no webhook is called by it"},
		"own authority":     {[]string{issuer, strings.Replace(certificate, "spec: {", "spec: {isCA: true, ", 1), validating}, "authority of its own"},
		"no names":          {[]string{issuer, strings.Replace(certificate, "dnsNames: [hook.pond.svc, hook.pond.svc.cluster.local], ", "", 1), validating}, "no spec.dnsNames"},
		"no secret":         {[]string{issuer, strings.Replace(certificate, ", secretName: hook-cert", "", 1), validating}, "no spec.secretName"},
		"secret comes":      {[]string{issuer, certificate, validating, "apiVersion: v1\nkind: Secret\nmetadata: {name: hook-cert, namespace: pond}\n"}, "themselves"},
		"from elsewhere":    {[]string{validating}, "Certificate pond/serving isn't among"},
		"another injection": {[]string{strings.Replace(crd, "inject-ca-from:", "inject-ca-from-secret:", 1)}, "inject-ca-from-secret"},
		"an API service":    {[]string{issuer, certificate, strings.Replace(strings.Replace(crd, "apiextensions.k8s.io", "apiregistration.k8s.io", 1), "CustomResourceDefinition", "APIService", 1)}, "APIService herons.pond"},
		"another kind":      {[]string{"apiVersion: acme.cert-manager.io/v1\nkind: Order\nmetadata: {name: o, namespace: pond}\n"}, "Order pond/o"},
	} {
		objs := parse(t, tt.docs...)
		got := strings.Join(Others(objs), "\n")
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
		if Used(objs) == (name == "nothing") {
			t.Errorf("%s: Used is wrong", name)
		}
	}
}

func bundleOf(t *testing.T, o *unstructured.Unstructured, path ...string) string {
	t.Helper()
	text, _, _ := unstructured.NestedString(o.Object, path...)
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 {
		t.Fatalf("%s %s: no %v", o.GetKind(), o.GetName(), path)
	}
	return string(raw)
}

func TestIssue(t *testing.T) {
	t.Parallel()
	objs := parse(t, issuer, certificate, validating, crd, plain)
	before := parse(t, issuer, certificate, validating, crd, plain)
	now := time.Now()
	out, err := Issue(objs, nil, now)
	if err != nil || len(out) != 4 || !reflect.DeepEqual(objs, before) {
		t.Fatalf("%d objects, %v", len(out), err)
	}
	secret, hook, def := out[0], out[1], out[2]
	if secret.GetKind() != "Secret" || secret.GetName() != "hook-cert" || secret.GetNamespace() != "pond" || secret.Object["type"] != "kubernetes.io/tls" || secret.GetLabels()["provider"] != "pond" {
		t.Errorf("secret: %v", secret.Object["metadata"])
	}
	bundle := bundleOf(t, secret, "data", "ca.crt")
	if got := bundleOf(t, def, "spec", "conversion", "webhook", "clientConfig", "caBundle"); got != bundle {
		t.Error("the CRD trusts somebody else")
	}
	list, _, _ := unstructured.NestedSlice(hook.Object, "webhooks")
	for _, item := range list {
		if got := bundleOf(t, &unstructured.Unstructured{Object: item.(map[string]any)}, "clientConfig", "caBundle"); got != bundle {
			t.Error("a webhook trusts somebody else")
		}
	}
	if a := hook.GetAnnotations(); len(a) != 1 || a["other"] != "kept" || len(def.GetAnnotations()) != 0 {
		t.Errorf("annotations: %v, %v", a, def.GetAnnotations())
	}
	_, pair := read(secret)
	if !pki.Good([]byte(bundle), pair, request([]string{"hook.pond.svc", "hook.pond.svc.cluster.local"}), now) {
		t.Error("the certificate doesn't serve")
	}
	if strings.Contains(bundle, "PRIVATE KEY") {
		t.Error("the authority's key is stored")
	}
}

func TestKeptOrRenewed(t *testing.T) {
	t.Parallel()
	objs := parse(t, issuer, certificate, validating)
	now := time.Now()
	first, err := Issue(objs, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[Key]*unstructured.Unstructured{{"pond", "hook-cert"}: first[0]}
	again, err := Issue(objs, stored, now)
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("something changed: %v", err)
	}
	old := bundleOf(t, first[0], "data", "ca.crt")
	late := now.Add(validity - pki.RenewBefore + time.Hour)
	damaged := first[0].DeepCopy()
	_ = unstructured.SetNestedField(damaged.Object, "b29wcw==", "data", "tls.key")
	for name, tt := range map[string]struct {
		objs   []*unstructured.Unstructured
		stored *unstructured.Unstructured
		now    time.Time
		trusts bool
	}{
		"ends soon":      {objs, first[0], late, true},
		"damaged":        {objs, damaged, now, true},
		"other names":    {parse(t, issuer, strings.Replace(certificate, "hook.pond.svc,", "new.pond.svc,", 1), validating), first[0], now, true},
		"nothing in it":  {objs, &unstructured.Unstructured{Object: map[string]any{}}, now, false},
		"over long ago":  {objs, first[0], now.Add(2 * validity), false},
		"not even there": {objs, nil, now, false},
	} {
		out, err := Issue(tt.objs, map[Key]*unstructured.Unstructured{{"pond", "hook-cert"}: tt.stored}, tt.now)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		bundle := bundleOf(t, out[0], "data", "ca.crt")
		if bundle == old || strings.Contains(bundle, old) != tt.trusts || strings.Count(bundle, "BEGIN") > 2 {
			t.Errorf("%s: bundle\n%s", name, bundle)
		}
	}
}
