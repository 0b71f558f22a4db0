// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"errors"
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := sample("demo", "https://10.0.0.1:6443", "s3cret")
	without := func(part string) string { return strings.Replace(good, part, "", 1) }
	tests := []struct {
		name    string
		text    string
		problem Problem
		says    string
	}{
		{"nothing", "", Empty, "empty"},
		{"a line break", "\n", Empty, "empty"},
		{"white space", " \t\r\n \n", Empty, "empty"},
		{"base64 twice", b64([]byte(good)), EncodedTwice, "base64-encoded twice"},
		{"base64 twice with line breaks", b64([]byte(good))[:60] + "\n" + b64([]byte(good))[60:] + "\n", EncodedTwice, "twice"},
		{"a word", "s3cret", NotKubeconfig, "not a kubeconfig"},
		{"base64 of something else", b64([]byte("s3cret of the pond")), NotKubeconfig, "not a kubeconfig"},
		{"a list", "- s3cret\n", NotKubeconfig, "not a YAML mapping"},
		{"comments only", "# s3cret\n", NotKubeconfig, "not a YAML mapping"},
		{"broken YAML", "apiVersion: v1\nkind: [s3cret\n", NotKubeconfig, "line"},
		{"unknown anchor", "kind: Config\nclusters: *s3cret\n", NotKubeconfig, "not YAML"},
		{"binary", "\x00\x01\x02s3cret", NotKubeconfig, "not a kubeconfig"},
		{"another kind", "apiVersion: v1\nkind: Secret\ndata: {value: s3cret}\n", NotKubeconfig, `kind "Secret"`},
		{"no kind, nothing known", "a: s3cret\n", NotKubeconfig, "neither kind"},
		{"two documents", good + "---\n" + good, NotKubeconfig, "more than one"},
		{"list is a map", "kind: Config\nclusters: {s3cret: 1}\n", NotKubeconfig, "not a list"},
		{"entry without name", "kind: Config\nusers: [{user: {token: s3cret}}]\n", NotKubeconfig, "no name"},
		{"duplicate users", strings.Replace(good, "users:\n", "users:\n- name: demo-admin\n  user: {token: s3cret}\n", 1), NotKubeconfig, `two entries called "demo-admin"`},
		{"broken base64 in a field", withUser("    client-key-data: s3cret!\n"), NotKubeconfig, "base64"},
		{"wrong type", strings.Replace(good, "token: s3cret", "token: [s3cret]", 1), NotKubeconfig, "not a kubeconfig"},
		{"no current-context", without("current-context: demo-admin@demo\n"), NoCurrentContext, "no current-context"},
		{"kind only", "apiVersion: v1\nkind: Config\n", NoCurrentContext, "no current-context"},
		{"current-context of nothing", strings.Replace(good, "current-context: demo-admin@demo", "current-context: other", 1), Dangling, `"other"`},
		{"context without cluster", strings.Replace(good, "    cluster: demo\n", "    cluster: other\n", 1), Dangling, `cluster "other"`},
		{"context without user", strings.Replace(good, "    user: demo-admin\n", "    user: other\n", 1), Dangling, `user "other"`},
		{"no server", without("    server: https://10.0.0.1:6443\n"), NoServer, "no server"},
		{"empty server", strings.Replace(good, "https://10.0.0.1:6443", `""`, 1), NoServer, "no server"},
		{"server without host", strings.Replace(good, "https://10.0.0.1:6443", "https://", 1), NoServer, "not a URL"},
		{"server is a path", strings.Replace(good, "https://10.0.0.1:6443", "demo", 1), NoServer, "not a URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(tt.text))
			var m *MalformedError
			if !errors.As(err, &m) || !errors.Is(err, ErrMalformed) {
				t.Fatalf("got %v, want a MalformedError", err)
			}
			if m.Problem != tt.problem {
				t.Errorf("problem %q, want %q (%v)", m.Problem, tt.problem, err)
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q does not say %q", err, tt.says)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q tells the secret", err)
			}
		})
	}
}

func TestParseKeepsTheText(t *testing.T) {
	t.Parallel()
	good := sample("demo", "https://10.0.0.1:6443", "s3cret")
	flow := `{"kind":"Config","clusters":[{"name":"a","cluster":{"server":"https://h"}}],"contexts":[{"name":"a","context":{"cluster":"a","user":""}}],"current-context":"a"}`
	tests := []struct{ name, text, want string }{
		{"as it is", good, good},
		{"no line break at the end", strings.TrimRight(good, "\n"), good},
		{"many line breaks at the end", good + "\n\n\n", good},
		{"windows line breaks", strings.ReplaceAll(good, "\n", "\r\n"), strings.TrimSuffix(strings.ReplaceAll(good, "\n", "\r\n"), "\r\n") + "\n"},
		{"comments and unknown fields", "# mine\nx-unknown: {a: 1}\n" + good, "# mine\nx-unknown: {a: 1}\n" + good},
		{"document start", "---\n" + good, "---\n" + good},
		{"JSON", flow, flow + "\n"},
		{"byte order mark", "\ufeff" + good, "\ufeff" + good},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := mustParse(t, tt.text)
			if got := string(k.Bytes()); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
			if string(k.Raw) != tt.text {
				t.Error("Raw is not what was read")
			}
		})
	}
}
