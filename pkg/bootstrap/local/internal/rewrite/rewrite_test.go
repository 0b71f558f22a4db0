// SPDX-License-Identifier: Apache-2.0

package rewrite_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/rewrite"
)

const components = `
apiVersion: v1
kind: Service
metadata: {name: hooks, namespace: ns}
spec:
  selector: {app: x}
  ports: [{port: 443, targetPort: TARGET}, {port: 8443, targetPort: 7777}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: other, namespace: ns}
spec: {template: {metadata: {labels: {app: another}}, spec: {containers: [{name: m}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: ns}
spec: {template: {metadata: {labels: {app: x, more: z}}, spec: {containers: [{name: m, ports: [{containerPort: 9443, name: webhook-server}]}]}}}
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: issuer, namespace: ns}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: cert, namespace: ns, labels: {provider: p}}
spec: {secretName: hooks-cert, dnsNames: [hooks.ns.svc]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating, annotations: {cert-manager.io/inject-ca-from: ns/cert, keep: me}}
webhooks:
- {name: by-service, clientConfig: {service: {name: hooks, namespace: ns, path: /mutate, port: PORT}}}
- {name: by-url, clientConfig: {url: "https://example.com/x"}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crd, annotations: {cert-manager.io/inject-ca-from: ns/cert}}
spec: {conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: hooks, namespace: ns, path: /convert}}}}}
`

func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	var objs []*unstructured.Unstructured
	for doc := range strings.SplitSeq(text, "\n---\n") {
		obj := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &obj.Object); err != nil {
			t.Fatal(err)
		}
		objs = append(objs, obj)
	}
	return objs
}

func host(asked *[]string) rewrite.Host {
	return rewrite.Host{
		CABundle: []byte("CA"),
		Port: func(namespace, deployment, port string) (int, error) {
			*asked = append(*asked, namespace+"/"+deployment+"/"+port)
			return 12345, nil
		},
		Serve: func(namespace, secret string, names []string) ([]byte, []byte, error) {
			return []byte(namespace + secret + strings.Join(names, ",")), []byte("key"), nil
		},
	}
}

func TestComponents(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ target, port, asked string }{
		"by name":            {"webhook-server", "443", "ns/manager/webhook-server"},
		"by number":          {"9443", "443", "ns/manager/webhook-server"},
		"undeclared number":  {"9999", "443", "ns/manager/9999"},
		"another port of it": {"webhook-server", "8443", "ns/manager/7777"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer("TARGET", tt.target, "PORT", tt.port).Replace(components)
			objs := parse(t, text)
			var asked []string
			out, err := rewrite.Components(objs, host(&asked))
			if err != nil {
				t.Fatal(err)
			}
			if asked[0] != tt.asked {
				t.Errorf("asked for %v", asked)
			}
			if diff := cmp.Diff(parse(t, text), objs); diff != "" {
				t.Errorf("the input was changed: %s", diff)
			}
			checkOutput(t, out)
		})
	}
}

func checkOutput(t *testing.T, out []*unstructured.Unstructured) {
	t.Helper()
	ca := base64.StdEncoding.EncodeToString([]byte("CA"))
	want := parse(t, `
apiVersion: v1
kind: Secret
type: kubernetes.io/tls
metadata: {name: hooks-cert, namespace: ns, labels: {provider: p}}
data: {ca.crt: `+ca+`, tls.crt: `+base64.StdEncoding.EncodeToString([]byte("nshooks-certhooks.ns.svc"))+`, tls.key: `+base64.StdEncoding.EncodeToString([]byte("key"))+`}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating, annotations: {keep: me}}
webhooks:
- {name: by-service, clientConfig: {url: "https://127.0.0.1:12345/mutate", caBundle: `+ca+`}}
- {name: by-url, clientConfig: {url: "https://example.com/x"}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crd}
spec: {conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:12345/convert", caBundle: `+ca+`}}}}
`)
	if diff := cmp.Diff(want, out[3:]); diff != "" {
		t.Error(diff)
	}
}

func TestWebhooksWithoutServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, now, want string }{
		"no Service":      {"name: hooks, namespace: ns}\nspec", "name: hooks2, namespace: ns}\nspec", "isn't among the components"},
		"no such port":    {"port: PORT", "port: 1", "has no such port"},
		"no Deployment":   {"labels: {app: x", "labels: {app: z", "none of the components' Deployments"},
		"no such target":  {"TARGET", "no-such-port", "doesn't name"},
		"no selector":     {"selector: {app: x}", "selector: {}", "has no selector"},
		"no secret named": {"secretName: hooks-cert, ", "", "no spec.secretName"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.ReplaceAll(components, tt.old, tt.now)
			text = strings.NewReplacer("TARGET", "webhook-server", "PORT", "443").Replace(text)
			var asked []string
			if _, err := rewrite.Components(parse(t, text), host(&asked)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Components: %v", err)
			}
		})
	}
}
