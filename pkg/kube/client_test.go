// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

func TestPing(t *testing.T) {
	t.Parallel()
	c := connect(t, env.REST)
	info, err := c.Ping(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Version != "v1.34.4" || info.Host != env.REST.Host || info.Minor != "34" {
		t.Errorf("info = %+v", info)
	}
	uid, err := c.UID(t.Context())
	if err != nil || len(uid) != 36 {
		t.Errorf("UID = %q, %v", uid, err)
	}
	if got := c.Requests(); got.Total != 2 || got.Writes() != 0 {
		t.Errorf("requests = %s, want 2 reads", got)
	}
}

func TestConnectionErrors(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	foreign := httptest.NewUnstartedServer(http.NotFoundHandler())
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0)
	foreign.StartTLS()
	t.Cleanup(foreign.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	with := func(change func(*rest.Config)) *rest.Config {
		cfg := rest.CopyConfig(env.REST)
		change(cfg)
		return cfg
	}
	tests := map[string]struct {
		cfg  *rest.Config
		is   error
		want []string
	}{
		"refused":     {with(func(c *rest.Config) { c.Host = "https://127.0.0.1:9" }), kube.ErrUnreachable, []string{"can't reach https://127.0.0.1:9: connection refused"}},
		"no name":     {with(func(c *rest.Config) { c.Host = "https://nowhere.invalid:6443" }), kube.ErrUnreachable, []string{"no address known for nowhere.invalid"}},
		"no answer":   {with(func(c *rest.Config) { c.Host = "https://" + silent.Addr().String() }), kube.ErrUnreachable, []string{"no answer in time"}},
		"no TLS":      {with(func(c *rest.Config) { c.Host = "https://" + plain.Listener.Addr().String() }), kube.ErrTLS, []string{"doesn't speak TLS"}},
		"TLS only":    {with(func(c *rest.Config) { *c = rest.Config{Host: "http://" + foreign.Listener.Addr().String()} }), kube.ErrTLS, []string{"it speaks TLS"}},
		"no API":      {with(func(c *rest.Config) { *c = rest.Config{Host: plain.URL} }), kube.ErrNotKubernetes, []string{plain.URL + " is not a Kubernetes API server", "404"}},
		"foreign CA":  {with(func(c *rest.Config) { c.Host = foreign.URL }), kube.ErrTLS, []string{"authority"}},
		"other name":  {with(func(c *rest.Config) { c.ServerName = "other.example" }), kube.ErrTLS, []string{"localhost", "not for other.example"}},
		"wrong token": {with(func(c *rest.Config) { c.BearerToken = "wrong" }), kube.ErrUnauthorized, []string{"doesn't accept the credentials"}},
		"expired":     {env.ExpiredUser(t, "old"), kube.ErrUnauthorized, []string{"client certificate", "expired on"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, tc.cfg, func(o *kube.Options) { o.Timeout = 2 * time.Second })
			_, err := c.Ping(t.Context())
			wantError(t, err, tc.want...)
			if !errors.Is(err, tc.is) {
				t.Errorf("error %v isn't %v", err, tc.is)
			}
			if strings.Contains(err.Error(), "wrong") {
				t.Errorf("error holds the token: %v", err)
			}
			if err := c.Discover(t.Context()); !errors.Is(err, tc.is) {
				t.Errorf("discover: %v isn't %v", err, tc.is)
			}
		})
	}
}

func TestDiscoverEndsWithContext(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	c := connect(t, &rest.Config{Host: "https://" + silent.Addr().String(), TLSClientConfig: env.REST.TLSClientConfig})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := c.Discover(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("took %s", d)
	}
}

func TestMissingRight(t *testing.T) {
	t.Parallel()
	c := connect(t, env.User(t, "nobody"))
	_, err := c.List(t.Context(), configMaps, kube.ListOptions{})
	wantError(t, err, "list ConfigMap objects", "cannot list")
	if !errors.Is(err, kube.ErrForbidden) || kube.Classify(err) != kube.ClassFatal {
		t.Errorf("error %v, class %d", err, kube.Classify(err))
	}
	rights := []kube.Right{
		{Verb: "create", Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
		{Verb: "patch", Group: "apps", Resource: "deployments/scale", Namespace: "default"},
	}
	denied, err := c.Denied(t.Context(), rights)
	if err != nil {
		t.Fatal(err)
	}
	if len(denied) != 1 || denied[0].String() != "patch deployments/scale.apps in namespace default" {
		t.Errorf("denied = %v", denied)
	}
	if denied, err := connect(t, env.REST).Denied(t.Context(), rights); err != nil || len(denied) != 0 {
		t.Errorf("denied to an administrator: %v, %v", denied, err)
	}
}

func TestWarningsAreCollected(t *testing.T) {
	t.Parallel()
	env.Seed(t, crdYAML("Warned", ""))
	c := connect(t, env.REST)
	for range 2 {
		if _, err := c.List(t.Context(), deployments.GroupVersion().WithKind("Deployment"), kube.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		objs := parse(t, "apiVersion: test.example/v1beta1\nkind: Warned\nmetadata: {name: w, namespace: default}\nspec: {size: big}\n")
		if _, err := c.Apply(t.Context(), objs, kube.ApplyOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	if w := c.Warnings(); len(w) != 1 || w[0] != "Warned v1beta1 is old" {
		t.Errorf("warnings = %q", w)
	}
}
