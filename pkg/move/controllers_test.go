// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

func exitCode(err error) int { return int(fault.CodeOf(err)) }

// playDeployments stands for the Deployment controller, which isn't there: what a Deployment wants, it has.
func playDeployments(t *testing.T, e *testenv.Env) {
	t.Helper()
	c := connect(t, e)
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for ctx.Err() == nil {
			list, err := c.List(ctx, gvkDeployment(), kube.ListOptions{})
			if err != nil {
				continue
			}
			for _, d := range list {
				n, seen := kube.Replicas(d), int64(-1)
				if v, ok, _ := unstructured.NestedInt64(d.Object, "status", "observedGeneration"); ok {
					seen = v
				}
				if seen == d.GetGeneration() {
					continue
				}
				status, _ := json.Marshal(map[string]any{"status": map[string]any{
					"observedGeneration": d.GetGeneration(), "replicas": n, "readyReplicas": n, "availableReplicas": n, "updatedReplicas": n,
				}})
				_, _ = c.Patch(ctx, gvkDeployment(), d.GetNamespace(), d.GetName(), types.MergePatchType, status, "status")
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { stop(); wg.Wait() })
}

// arm gives the source a controller, and a webhook whose server is down: without an exception nothing could be written.
func (s *stage) arm(t *testing.T) {
	t.Helper()
	c := connect(t, s.at)
	server, ca := "https://127.0.0.1:1/", ""
	if s.old {
		server, ca = s.hook(t)
	}
	for _, doc := range []string{`
apiVersion: apps/v1
kind: Deployment
metadata: {name: pond-controller-manager, namespace: ` + s.namespace + `, labels: {cluster.x-k8s.io/provider: infrastructure-pond}}
spec:
  replicas: 3
  selector: {matchLabels: {a: pond}}
  template: {metadata: {labels: {a: pond}}, spec: {containers: [{name: manager, image: registry.invalid/pond:v1}]}}
`, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: pond}
webhooks:
- name: pond.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  failurePolicy: Fail
  timeoutSeconds: 1
  clientConfig: {url: "` + server + `", caBundle: "` + ca + `"}
  rules:
  - {apiGroups: [cluster.x-k8s.io, infrastructure.cluster.x-k8s.io], apiVersions: ["*"], operations: [UPDATE, DELETE], resources: ["*"]}
`} {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Create(context.Background(), u); err != nil {
			t.Fatal(err)
		}
	}
}

// hook is a webhook's server that runs as long as its Deployment does.
func (s *stage) hook(t *testing.T) (url, ca string) {
	t.Helper()
	c := connect(t, s.at)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			APIVersion string         `json:"apiVersion"`
			Kind       string         `json:"kind"`
			Request    map[string]any `json:"request,omitempty"`
			Response   map[string]any `json:"response"`
		}
		d, err := c.Get(r.Context(), gvkDeployment(), s.namespace, "pond-controller-manager")
		if err != nil || kube.Replicas(d) == 0 || json.NewDecoder(r.Body).Decode(&review) != nil {
			panic(http.ErrAbortHandler)
		}
		review.Response, review.Request = map[string]any{"uid": review.Request["uid"], "allowed": true}, nil
		_ = json.NewEncoder(w).Encode(review)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	pemed := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return server.URL, base64.StdEncoding.EncodeToString(pemed)
}

func (s *stage) disarm(t *testing.T) {
	t.Helper()
	c := connect(t, s.at)
	deleteAt(t, c, kube.Target{GVK: gvkDeployment(), Namespace: s.namespace, Name: "pond-controller-manager"})
	deleteAt(t, c, kube.Target{GVK: gvkWebhooks("ValidatingWebhookConfiguration"), Name: "pond"})
}
