// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// env is the control plane that the tests share; each test has namespaces and kinds of its own.
var env *testenv.Env

func TestMain(m *testing.M) {
	kube.SetLogger(nil)
	code := testenv.Main(m, func(e *testenv.Env) { env = e })
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

var (
	configMaps  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	namespaces  = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	deployments = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

// connect makes a client whose user agent is the test's name, so that the audit log can be asked about it.
func connect(t *testing.T, cfg *rest.Config, change ...func(*kube.Options)) *kube.Client {
	t.Helper()
	opts := kube.Options{UserAgent: agent(t)}
	for _, f := range change {
		f(&opts)
	}
	c, err := kube.New(cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func agent(t *testing.T) string { return "test-" + strings.ReplaceAll(t.Name(), "/", "-") }

func parse(t *testing.T, yaml string) []*unstructured.Unstructured {
	t.Helper()
	objs, err := manifest.Parse(manifest.Source{Name: "test.yaml", Data: []byte(yaml)})
	if err != nil {
		t.Fatal(err)
	}
	return manifest.Unwrap(objs)
}

// within gives a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q doesn't say %q", err, p)
		}
	}
}

// crdYAML is a CRD for a kind of its own in group test.example, with versions v1 and v1beta1 (stored: v1).
func crdYAML(kind, extra string) string {
	lower := strings.ToLower(kind)
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]ss.test.example}
spec:
  group: test.example
  scope: Namespaced
  names: {kind: %[2]s, plural: %[1]ss, singular: %[1]s, listKind: %[2]sList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: string, enum: [small, big]}
              note: {type: string}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: "%[2]s v1beta1 is old"
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
%[3]s`, lower, kind, extra)
}
