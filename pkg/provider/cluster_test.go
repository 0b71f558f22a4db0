// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const agent = "install-test"

func connect(t *testing.T, env *testenv.Env, agent string) *kube.Client {
	t.Helper()
	c, err := kube.New(env.REST, kube.Options{UserAgent: agent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// playDeployments does what a deployment controller with willing nodes would end in: every Deployment is available.
func playDeployments(t *testing.T, c *kube.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			all, _ := c.List(ctx, deploymentGVK(), kube.ListOptions{})
			for _, d := range all {
				makeAvailable(ctx, c, d)
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func makeAvailable(ctx context.Context, c *kube.Client, d *unstructured.Unstructured) {
	replicas, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
	seen, _, _ := unstructured.NestedInt64(d.Object, "status", "observedGeneration")
	if seen == d.GetGeneration() {
		return
	}
	d.Object["status"] = map[string]any{
		"observedGeneration": d.GetGeneration(), "replicas": replicas, "readyReplicas": replicas,
		"updatedReplicas": replicas, "availableReplicas": replicas,
	}
	_, _ = c.UpdateStatus(ctx, d)
}

// webhook is a server that admits everything and remembers what it was asked to store.
type webhook struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newWebhook(t *testing.T) *webhook {
	t.Helper()
	w := &webhook{}
	w.Server = httptest.NewTLSServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Request    struct {
			UID    string `json:"uid"`
			Name   string `json:"name"`
			DryRun bool   `json:"dryRun"`
		} `json:"request"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	if !review.Request.DryRun {
		w.mu.Lock()
		w.seen = append(w.seen, review.Request.Name)
		w.mu.Unlock()
	}
	_ = json.NewEncoder(rw).Encode(map[string]any{
		"apiVersion": review.APIVersion, "kind": review.Kind,
		"response": map[string]any{"uid": review.Request.UID, "allowed": true},
	})
}

func (w *webhook) stored() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

func certPEM(w *webhook) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.Certificate().Raw})
}

// prepare points webhook configurations to the server.
func (w *webhook) prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	ca := certPEM(w)
	for _, o := range objs {
		if !isWebhookConfig(o) {
			continue
		}
		hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
		for _, h := range hooks {
			h.(map[string]any)["clientConfig"] = map[string]any{"url": w.URL + "/validate", "caBundle": encode64(ca)}
		}
		if err := unstructured.SetNestedSlice(o.Object, hooks, "webhooks"); err != nil {
			return nil, err
		}
	}
	return objs, nil
}

// notes collects what people are told.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) Send(e event.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, string(e.Kind)+": "+e.Message)
}

func (n *notes) has(part string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.lines, func(l string) bool { return strings.Contains(l, part) })
}

func exists(t *testing.T, c *kube.Client, gvk schema.GroupVersionKind, ns, name string) *unstructured.Unstructured {
	t.Helper()
	u, err := c.Get(t.Context(), gvk, ns, name)
	if err != nil {
		t.Errorf("%v", err)
		return &unstructured.Unstructured{Object: map[string]any{}}
	}
	return u
}

func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
