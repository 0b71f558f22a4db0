// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestRewriteNothing(t *testing.T) {
	t.Parallel()
	k := demo(t)
	got, err := k.Rewrite(RewriteOptions{})
	if err != nil || got != k {
		t.Fatalf("got %p, %v, want the same", got, err)
	}
}

func TestRewriteContextName(t *testing.T) {
	t.Parallel()
	text := "# made by hand\nx-unknown: {deep: [1, 2]} # kept\n" + sample("demo", "https://10.0.0.1:6443", "s3cret")
	got, err := mustParse(t, text).Rewrite(RewriteOptions{ContextName: "prod"})
	if err != nil {
		t.Fatal(err)
	}
	want := `# made by hand
x-unknown: {deep: [1, 2]} # kept
apiVersion: v1
clusters:
- cluster:
    server: https://10.0.0.1:6443
  name: prod
contexts:
- context:
    cluster: prod
    user: prod
  name: prod
current-context: prod
kind: Config
preferences: {}
users:
- name: prod
  user:
    token: s3cret
`
	if diff := cmp.Diff(want, string(got.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestRewriteContextNameAmongOthers(t *testing.T) {
	t.Parallel()
	text := `kind: Config
clusters: [{name: prod, cluster: {server: "https://p"}}, {name: mine, cluster: {server: "https://m"}}]
users: [{name: prod, user: {token: p}}, {name: prod-2, user: {token: q}}, {name: mine, user: {token: m}}]
contexts:
- {name: a, context: {cluster: prod, user: prod}}
- {name: b, context: {cluster: mine, user: mine}}
- {name: c, context: {cluster: mine, user: prod-2}}
current-context: b
`
	got, err := mustParse(t, text).Rewrite(RewriteOptions{ContextName: "prod"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Context() != "prod" || got.Server() != "https://m" || got.user().Token != "m" {
		t.Errorf("context %q: server %q token %q", got.Context(), got.Server(), got.user().Token)
	}
	if c := got.API.Contexts["c"]; got.API.Clusters[c.Cluster].Server != "https://m" || got.API.AuthInfos[c.AuthInfo].Token != "q" {
		t.Errorf("context c was not followed: %+v", c)
	}
	if c := got.API.Contexts["a"]; got.API.Clusters[c.Cluster].Server != "https://p" || got.API.AuthInfos[c.AuthInfo].Token != "p" {
		t.Errorf("context a was changed: %+v", c)
	}
	if _, err := mustParse(t, text).Rewrite(RewriteOptions{ContextName: "a"}); fault.CodeOf(err) != fault.Usage {
		t.Errorf("name of another context: got %v", err)
	}
	same, err := mustParse(t, text).Rewrite(RewriteOptions{ContextName: "b"})
	if err != nil || same.Context() != "b" || same.context().Cluster != "b" {
		t.Errorf("own name: %v, %+v", err, same)
	}
}

func TestRewriteOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"yes", "on", "N", "null", "~", "123", "0x1f", "1e3", "12:30:45", "2026-12-01", ".inf", "-", "- a", "a: b", "a:", "a #b", "#a", "*a", "&a", "!a", "{a}", "[a]",
		"a,b", "a'b", `a"b`, `a\b`, "a\nb", "ä", "arn:aws:eks:eu-west-1:123:cluster/a", "kind-a", "a@b", "%a", "|", ">", "=", "<<", strings.Repeat("x", 300),
	} {
		for _, text := range []string{
			sample("demo", "https://10.0.0.1:6443", "s3cret"),
			`{"kind":"Config","clusters":[{"name":"a","cluster":{"server":"https://h"}}],"users":[{"name":"a","user":{}}],"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"current-context":"a"}`,
		} {
			got, err := mustParse(t, text).Rewrite(RewriteOptions{ContextName: name})
			if err != nil {
				t.Errorf("%q: %v", name, err)
				continue
			}
			if got.Context() != name || got.context().Cluster != name || got.context().AuthInfo != name {
				t.Errorf("%q: got context %q, %+v", name, got.Context(), got.context())
			}
		}
	}
}

func TestRewriteMergeKeys(t *testing.T) {
	t.Parallel()
	text := "kind: Config\nx-base: &b {cluster: {server: 'https://h'}}\nclusters: [{<<: *b, name: a}]\ncontexts: [{name: a, context: {cluster: a, user: ''}}]\ncurrent-context: a\n"
	if _, err := mustParse(t, text).Rewrite(RewriteOptions{Server: "x"}); !errors.Is(err, ErrMalformed) {
		t.Errorf("got %v", err)
	}
}

func TestRewriteServer(t *testing.T) {
	t.Parallel()
	const old = "https://172.18.0.3:6443"
	tests := []struct {
		name, old, server string
		covers            bool
		want, tlsName     string
	}{
		{"host and port", old, "127.0.0.1:40001", false, "https://127.0.0.1:40001", "172.18.0.3"},
		{"host only keeps the port", old, "127.0.0.1", false, "https://127.0.0.1:6443", "172.18.0.3"},
		{"name", old, "api.example.com:443", false, "https://api.example.com:443", "172.18.0.3"},
		{"URL", old, "https://api.example.com", false, "https://api.example.com", "172.18.0.3"},
		{"URL with a path", old, "https://api.example.com/k8s/c-1", false, "https://api.example.com/k8s/c-1", "172.18.0.3"},
		{"old path stays", "https://rancher/k8s/c-1", "10.1.1.1:8443", false, "https://10.1.1.1:8443/k8s/c-1", "rancher"},
		{"the certificate covers it", old, "127.0.0.1:40001", true, "https://127.0.0.1:40001", ""},
		{"only another port", old, "172.18.0.3:443", false, "https://172.18.0.3:443", ""},
		{"IPv6 with brackets and port", old, "[::1]:40001", false, "https://[::1]:40001", "172.18.0.3"},
		{"IPv6 with brackets", old, "[fd00::1]", false, "https://[fd00::1]:6443", "172.18.0.3"},
		{"IPv6 bare", old, "fd00::1", false, "https://[fd00::1]:6443", "172.18.0.3"},
		{"IPv6 URL", old, "https://[fd00::1]:1", false, "https://[fd00::1]:1", "172.18.0.3"},
		{"from IPv6", "https://[fc00:f853:ccd:e793::2]:6443", "127.0.0.1:1", false, "https://127.0.0.1:1", "fc00:f853:ccd:e793::2"},
		{"old one without port", "https://old.example.com", "new.example.com", false, "https://new.example.com", "old.example.com"},
		{"old one is http", "http://old:8080", "new", false, "https://new:8080", "old"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := mustParse(t, sample("demo", tt.old, "x")).Rewrite(RewriteOptions{Server: tt.server, CertCoversServer: tt.covers})
			if err != nil {
				t.Fatal(err)
			}
			if got.Server() != tt.want || got.cluster().TLSServerName != tt.tlsName {
				t.Errorf("server %q, tls-server-name %q; want %q, %q", got.Server(), got.cluster().TLSServerName, tt.want, tt.tlsName)
			}
			if got.cluster().InsecureSkipTLSVerify {
				t.Error("insecure")
			}
		})
	}
}

func TestRewriteServerKeeps(t *testing.T) {
	t.Parallel()
	ca := b64(certificate(t, time.Now().Add(time.Hour)))
	for name, field := range map[string]string{
		"tls-server-name": "tls-server-name: kept", "ca": "certificate-authority-data: " + ca, "unknown": "x-unknown: {a: 1}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(sample("demo", "https://old:6443", "x"), "    server:", "    "+field+"\n    server:", 1)
			got, err := mustParse(t, text).Rewrite(RewriteOptions{Server: "new"})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got.Raw), "    "+field+"\n") {
				t.Errorf("%s was lost:\n%s", field, got.Raw)
			}
		})
	}
}

func TestCheckServer(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", ":6443", "host:", "host:0", "host:65536", "host:abc", "http://host:6443", "ftp://host", "https://", "https://user:pw@host",
		"https://host?a=b", "https://host#f", "host/path", "ho st", "[::1", "[]:1", "host:1:2", "https://host:99999", "a@b", "https://ho st",
	} {
		if err := CheckServer(bad); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%q: got %v, want a usage error", bad, err)
		} else if strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: %v tells the password", bad, err)
		}
	}
	for _, good := range []string{"h", "h:1", "127.0.0.1", "::1", "[::1]:6443", "https://h", "https://h:1/p", "fe80::1%eth0"} {
		if err := CheckServer(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestCertCovers(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	ca := b64(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	with := func(ca string) *Kubeconfig {
		return mustParse(t, strings.Replace(sample("demo", "https://old:6443", "x"), "    server:", "    certificate-authority-data: "+ca+"\n    server:", 1))
	}
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	tests := []struct {
		name, ca, server string
		want             bool
	}{
		{"its address is in the certificate", ca, "127.0.0.1" + port, true},
		{"a name that is not", ca, "localhost" + port, false},
		{"another CA", b64(certificate(t, time.Now().Add(time.Hour))), "127.0.0.1" + port, false},
		{"nobody there", ca, "127.0.0.1:1", false},
		{"not an address", ca, "a b", false},
	}
	for _, tt := range tests {
		if got := with(tt.ca).CertCovers(t.Context(), tt.server); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}
