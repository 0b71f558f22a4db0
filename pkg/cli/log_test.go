// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLogHasNoSecrets(t *testing.T) {
	t.Parallel()
	secrets := []slog.Attr{
		slog.String("Authorization", "Bearer s3cr3t-value"),
		slog.String("bootstrap-token", "s3cr3t-value"),
		slog.String("body", "{kind: Secret, data: s3cr3t-value}"),
		slog.Any("clientKeyData", []byte("s3cr3t-value")),
		slog.Group("user", slog.String("password", "s3cr3t-value")),
		slog.String("headers", "Accept: */*\nAuthorization: Bearer s3cr3t-value\nCookie: a=s3cr3t-value"),
		slog.Any("error", errors.New("GET https://admin:s3cr3t-value@host/: refused")),
		slog.String("kubeconfig", "users:\n- name: a\n  user:\n    token: s3cr3t-value\n    client-key-data: s3cr3t-value"),
		slog.String("json", `{"password":"s3cr3t-value"}`),
		slog.String("key", "-----BEGIN RSA PRIVATE KEY-----\ns3cr3t-value\n-----END RSA PRIVATE KEY-----"),
		slog.String("cut", "-----BEGIN PRIVATE KEY-----\ns3cr3t-value"),
		slog.Any("list", []string{"--token=s3cr3t-value"}),
	}
	for _, format := range []string{"text", "json"} {
		for _, a := range secrets {
			var out bytes.Buffer
			log := newLog(&out, format, 10)
			log.LogAttrs(t.Context(), slog.Level(-10), "m", a)
			log.Info("message with password=s3cr3t-value in it")
			if strings.Contains(out.String(), "s3cr3t") || !strings.Contains(out.String(), redacted) {
				t.Errorf("%s: %s shows: %s", format, a.Key, out.String())
			}
		}
	}
}

func TestLogKeepsWhatIsHarmless(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "https://127.0.0.1:6443/api/v1/namespaces/default/secrets/demo-kubeconfig", "created cluster demo in 3.5s",
		"registry.k8s.io/kube-apiserver:v1.34.4", "sha256:0123456789abcdef", "the token of demo expired", "10.0.0.1:6443",
	} {
		if got := redactText(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	var out bytes.Buffer
	newLog(&out, "text", 4).Log(t.Context(), slog.Level(-4), "request", "status", 200, "took", 1500)
	if !strings.Contains(out.String(), "level=v4 msg=request status=200 took=1500") {
		t.Error(out.String())
	}
}

func TestVerbosityIsTheLevel(t *testing.T) {
	t.Parallel()
	for verbosity := range 11 {
		var out bytes.Buffer
		log := newLog(&out, "text", verbosity)
		for level := range 11 {
			log.Log(t.Context(), slog.Level(-level), fmt.Sprintf("m%d", level))
		}
		if got := strings.Count(out.String(), "\n"); got != verbosity+1 {
			t.Errorf("-v %d shows %d levels", verbosity, got)
		}
	}
}

// What client-go logs of requests, through the bridge: from -v 4 on, with headers from -v 6 on, never a body or a token.
// It is not parallel: klog has one logger for the process.
func TestRequestsInTheLog(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Audit-Id", "an-audit-id")
		fmt.Fprint(w, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"value":"czNjcjN0"},"stringData":{"a":"s3cr3t"}}`)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(klog.ClearLogger)
	cases := []struct {
		verbosity   int
		url, header bool
	}{{0, false, false}, {3, false, false}, {4, true, false}, {5, true, false}, {6, true, true}, {10, true, true}}
	for _, c := range cases {
		var out bytes.Buffer
		bridgeKlog(newLog(&out, "text", c.verbosity), c.verbosity)
		getSecret(t, server.URL)
		log := out.String()
		if got := strings.Contains(log, "/api/v1/namespaces/a/secrets/x"); got != c.url {
			t.Errorf("-v %d shows the address: %v\n%s", c.verbosity, got, log)
		}
		if got := strings.Contains(log, "an-audit-id"); got != c.header {
			t.Errorf("-v %d shows headers: %v\n%s", c.verbosity, got, log)
		}
		for _, secret := range []string{"czNjcjN0", "s3cr3t", "my-token"} {
			if strings.Contains(log, secret) {
				t.Errorf("-v %d shows %s:\n%s", c.verbosity, secret, log)
			}
		}
	}
}

func getSecret(t *testing.T, address string) {
	t.Helper()
	client, err := dynamic.NewForConfig(&rest.Config{Host: address, BearerToken: "my-token"})
	if err != nil {
		t.Fatal(err)
	}
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	if _, err := client.Resource(secrets).Namespace("a").Get(t.Context(), "x", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestKlogLevels(t *testing.T) {
	t.Parallel()
	got := map[int]int{}
	for v := range 11 {
		got[v] = mostOfKlog(v)
	}
	want := map[int]int{0: 0, 1: 0, 2: 0, 3: 0, 4: 6, 5: 6, 6: 8, 7: 8, 8: 8, 9: 8, 10: 8}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	h := klogHandler{slog.DiscardHandler}
	if h.Enabled(t.Context(), slog.Level(-9)) {
		t.Error("level 9 of klog has commands with their secrets in it")
	}
}
