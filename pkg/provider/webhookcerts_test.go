// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"crypto/tls"
	"encoding/base64"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/provider/webhookcert"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const lagoonCerts = `
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: lagoon-issuer, namespace: lagoon-system}
spec: {selfSigned: {}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: lagoon-serving, namespace: lagoon-system}
spec: {dnsNames: [lagoon.lagoon-system.svc, localhost], issuerRef: {kind: Issuer, name: lagoon-issuer}, secretName: lagoon-cert}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: lagoon, annotations: {cert-manager.io/inject-ca-from: lagoon-system/lagoon-serving}}
webhooks:
- name: lagoonclusters.lagoon.example
  sideEffects: None
  admissionReviewVersions: [v1]
  failurePolicy: Fail
  rules: [{apiGroups: [infrastructure.cluster.x-k8s.io], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [lagoonclusters]}]
  clientConfig: {url: "https://localhost:PORT/validate"}
`

// mounted is a webhook server that shows the certificate that is in the Secret, as a manager with the Secret mounted does.
func mounted(t *testing.T, c *kube.Client) (port string) {
	t.Helper()
	w := &webhook{}
	w.Server = httptest.NewUnstartedServer(w)
	w.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		s, err := c.Get(t.Context(), schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "lagoon-system", "lagoon-cert")
		if err != nil {
			return nil, err
		}
		get := func(name string) []byte {
			text, _, _ := unstructured.NestedString(s.Object, "data", name)
			raw, _ := base64.StdEncoding.DecodeString(text)
			return raw
		}
		pair, err := tls.X509KeyPair(get("tls.crt"), get("tls.key"))
		return &pair, err
	}}
	w.StartTLS()
	t.Cleanup(w.Close)
	return w.URL[strings.LastIndex(w.URL, ":")+1:]
}

func applyText(t *testing.T, c *kube.Client, text string) {
	t.Helper()
	var objs []*unstructured.Unstructured
	for _, doc := range strings.Split(text, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
			t.Fatal(err)
		}
		if len(o.Object) > 0 {
			objs = append(objs, o)
		}
	}
	if _, err := c.Apply(t.Context(), objs, kube.ApplyOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
}

// TestBuiltinCerts: the API server calls a webhook that shows the certificate which we stored, and trusts it.
func TestBuiltinCerts(t *testing.T) {
	env := testenv.Start(t)
	look := connect(t, env, "look")
	playDeployments(t, connect(t, env, "player"))
	cfg, _ := repo(t, text(t, "lagoon.yaml")+strings.Replace(lagoonCerts, "PORT", mounted(t, look), 1), nil)
	comps, err := components(t, cfg, ComponentOptions{}, coreSpec(), lagoonSpec())
	if err != nil {
		t.Fatal(err)
	}
	said := &notes{}
	core := newWebhook(t)
	opts := InstallOptions{Sink: said, WebhookCerts: AutoCerts, Prepare: func(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		for _, o := range objs {
			if o.GetName() == "lagoon" {
				return objs, nil
			}
		}
		return core.prepare(objs)
	}}
	if _, err := Install(deadline(t, time.Minute), connect(t, env, agent), comps, opts); err != nil {
		t.Fatal(err)
	}
	if !said.has("webhook certificates: our own, because cert-manager isn't installed") {
		t.Errorf("said: %q", said.lines)
	}
	// Now for real: the webhook must be called, or this is refused.
	applyText(t, look, "apiVersion: infrastructure.cluster.x-k8s.io/v1\nkind: LagoonCluster\nmetadata: {name: one, namespace: default}\n")
	res, err := Install(deadline(t, time.Minute), connect(t, env, agent), comps, opts)
	if err != nil || res.Changed() {
		t.Errorf("second run: %+v, %v", res.Providers, err)
	}
	if !said.has("as an earlier run made them") {
		t.Errorf("said: %q", said.lines)
	}
	t.Run("choice", func(t *testing.T) { checkChoice(t, look, newWebhook(t)) })
}

const certManagerCRDs = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: issuers.cert-manager.io}
spec: {group: cert-manager.io, scope: Namespaced, names: {kind: Issuer, plural: issuers}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io}
spec: {group: cert-manager.io, scope: Namespaced, names: {kind: Certificate, plural: certificates}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}
`

const certManagerHook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: cert-manager-webhook}
webhooks: [{name: webhook.cert-manager.io, sideEffects: None, admissionReviewVersions: [v1], failurePolicy: Fail, rules: [{apiGroups: [cert-manager.io], apiVersions: ["*"], operations: [CREATE], resources: ["*/*"]}], clientConfig: {url: "URL", caBundle: CA}}]
`

// checkChoice: what auto chooses for components that nobody has installed yet, as cert-manager comes up bit by bit.
func checkChoice(t *testing.T, c *kube.Client, hook *webhook) {
	t.Helper()
	var objs []*unstructured.Unstructured
	for _, doc := range strings.Split(strings.ReplaceAll(lagoonCerts, "lagoon", "pond"), "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
			t.Fatal(err)
		}
		if len(o.Object) > 0 {
			objs = append(objs, o)
		}
	}
	ask := func(source WebhookCerts, objs []*unstructured.Unstructured) (ours bool, said string, err error) {
		out, said, err := ResolveWebhookCerts(deadline(t, time.Minute), c, objs, source)
		for _, o := range out {
			ours = ours || o.GetKind() == "Secret"
		}
		return ours, said, err
	}
	applyText(t, c, certManagerCRDs)
	c.Invalidate()
	if ours, said, err := ask(AutoCerts, objs); err != nil || !ours || !strings.Contains(said, "only the definitions are there") {
		t.Errorf("definitions only: %v, %q, %v", ours, said, err)
	}
	special := append(objs[:len(objs):len(objs)], &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer", "metadata": map[string]any{"name": "everybody"},
	}})
	if ours, said, err := ask(AutoCerts, special); err != nil || ours || !strings.Contains(said, "though of cert-manager only") || !strings.Contains(said, "ClusterIssuer everybody") {
		t.Errorf("definitions only, for more than webhooks: %v, %q, %v", ours, said, err)
	}
	ca := encode64(certPEM(hook))
	applyText(t, c, strings.NewReplacer("URL", "https://127.0.0.1:1/none", "CA", ca).Replace(certManagerHook))
	if ours, said, err := ask(AutoCerts, objs); err != nil || !ours || !strings.Contains(said, "doesn't answer") {
		t.Errorf("its webhook is down: %v, %q, %v", ours, said, err)
	}
	for _, source := range []WebhookCerts{AutoCerts, BuiltinCerts} {
		_, _, err := ask(source, special)
		if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "ClusterIssuer everybody") || len(fault.Hints(err)) == 0 {
			t.Errorf("%s for more than webhooks: %v", source, err)
		}
	}
	applyText(t, c, "apiVersion: v1\nkind: Namespace\nmetadata: {name: pond-system}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: pond-cert, namespace: pond-system, annotations: {cert-manager.io/certificate-name: pond-serving}}\n")
	if _, _, err := ask(AutoCerts, objs); fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "are cert-manager's") {
		t.Errorf("cert-manager's own: %v", err)
	}
	if ours, _, err := ask(BuiltinCerts, objs); err != nil || !ours {
		t.Errorf("builtin by request: %v", err)
	}
	applyText(t, c, strings.NewReplacer("URL", hook.URL+"/validate", "CA", ca).Replace(certManagerHook))
	for _, source := range []WebhookCerts{AutoCerts, CertManagerCerts, ""} {
		ours, said, err := ask(source, special)
		if err != nil || ours || (source == AutoCerts) != strings.Contains(said, "installed and answers") {
			t.Errorf("%s with cert-manager: %v, %q, %v", source, ours, said, err)
		}
	}
	if webhookcert.Used(nil) {
		t.Error("nothing uses it")
	}
}
