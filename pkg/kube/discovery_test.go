// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

func TestDiscoveryIsTwoRequests(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	for range 3 {
		if err := c.Discover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Mapping(t.Context(), deployments.GroupKind()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Kinds(t.Context(), "k8s.io"); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Requests(); got.Total != 2 || got.ByVerb["discovery"] != 2 {
		t.Errorf("requests = %s, want 2 discovery", got)
	}
}

// Servers before Kubernetes 1.26 tell of groups and of each version's kinds separately. What is found is the same.
func TestDiscoveryOfOldServers(t *testing.T) {
	t.Parallel()
	want, err := connect(t, env.REST).Kinds(t.Context(), "k8s.io")
	if err != nil {
		t.Fatal(err)
	}
	cfg := rest.CopyConfig(env.REST)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return notAggregated{next} })
	c := connect(t, cfg)
	got, err := c.Kinds(t.Context(), "k8s.io")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("kinds = %v, want %v", got, want)
	}
	for _, gk := range []schema.GroupKind{deployments.GroupKind(), namespaces.GroupKind()} {
		if _, err := c.Mapping(t.Context(), gk); err != nil {
			t.Error(err)
		}
	}
	if n := c.Requests().Total; n < 20 || n > 60 {
		t.Errorf("%d requests, want 2 and one a group version", n)
	}
}

// notAggregated asks a server as if there were no aggregated discovery.
type notAggregated struct{ next http.RoundTripper }

// RoundTrip sends the request.
func (n notAggregated) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.Header.Get("Accept"), "apidiscovery") {
		r = r.Clone(r.Context())
		r.Header.Set("Accept", "application/json")
	}
	return n.next.RoundTrip(r)
}

func TestNoKind(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	_, err := c.Mapping(t.Context(), schema.GroupKind{Group: "nowhere.example", Kind: "Thing"})
	wantError(t, err, "doesn't serve Thing.nowhere.example", env.REST.Host)
	if !errors.Is(err, kube.ErrNoKind) || kube.Classify(err) != kube.ClassFatal {
		t.Errorf("error %v, class %d", err, kube.Classify(err))
	}
	_, err = c.Mapping(t.Context(), deployments.GroupKind(), "v1beta1")
	wantError(t, err, "in version v1beta1, only in v1")
}

func TestNewKindIsFound(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	if err := c.Discover(t.Context()); err != nil {
		t.Fatal(err)
	}
	env.Seed(t, crdYAML("Late", ""))
	m, err := c.Mapping(t.Context(), schema.GroupKind{Group: "test.example", Kind: "Late"})
	if err != nil {
		t.Fatal(err)
	}
	if m.GroupVersionKind.Version != "v1" || m.Resource.Resource != "lates" {
		t.Errorf("mapping = %v %v", m.GroupVersionKind, m.Resource)
	}
	kinds, err := c.Kinds(t.Context(), "example")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(kinds, m.GroupVersionKind) {
		t.Errorf("kinds = %v", kinds)
	}
	served, err := c.Served(t.Context(), m.GroupVersionKind.GroupKind())
	if err != nil || !slices.Equal(served, []string{"v1", "v1beta1"}) {
		t.Errorf("served = %v, %v", served, err)
	}
}

// A control plane of its own: the broken API would be in the way of other tests.
func TestBrokenAPIService(t *testing.T) {
	t.Parallel()
	e := testenv.Start(t)
	e.Seed(t, `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.broken.example}
spec:
  group: broken.example
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: nobody, namespace: default}
`)
	c := connect(t, e.REST)
	if err := c.Discover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.Requests(); got.Total != 2 {
		t.Errorf("requests = %s, want 2", got)
	}
	if _, err := c.List(t.Context(), namespaces, kube.ListOptions{}); err != nil {
		t.Error(err)
	}
	if kinds, err := c.Kinds(t.Context(), "k8s.io"); err != nil || len(kinds) < 20 {
		t.Errorf("kinds = %d, %v", len(kinds), err)
	}
	_, err := c.Mapping(t.Context(), schema.GroupKind{Group: "broken.example", Kind: "Thing"})
	wantError(t, err, "broken.example/v1", "doesn't answer")
	if !errors.Is(err, kube.ErrNoKind) {
		t.Errorf("error %v isn't ErrNoKind", err)
	}

	cfg := rest.CopyConfig(e.REST)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return notAggregated{next} })
	old := connect(t, cfg)
	if kinds, err := old.Kinds(t.Context(), "k8s.io"); err != nil || len(kinds) < 20 {
		t.Errorf("an old server: kinds = %d, %v", len(kinds), err)
	}
	_, err = old.Mapping(t.Context(), schema.GroupKind{Group: "broken.example", Kind: "Thing"})
	wantError(t, err, "broken.example/v1", "doesn't answer")
}
