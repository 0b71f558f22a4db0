// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

const alpha = `
apiVersion: v1
kind: Config
clusters: [{name: alpha, cluster: {server: "https://127.0.0.1:9", insecure-skip-tls-verify: true}}]
users: [{name: alpha, user: {token: x}}]
contexts: [{name: alpha, context: {cluster: alpha, user: alpha}}]
current-context: alpha
`

const beta = `
apiVersion: v1
kind: Config
clusters: [{name: beta, cluster: {server: "https://beta.example:6443", certificate-authority: pki/ca.crt}}]
users: [{name: beta, user: {tokenFile: pki/token}}]
contexts: [{name: beta, context: {cluster: beta, user: beta, namespace: team-a}}]
`

// files writes kubeconfigs as public reports have them: two folders, and a third one that isn't there.
func files(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range map[string]string{
		"one/config": alpha, "two/config": beta, "empty": " \n", "notes": "remember the milk", "list": "[1, 2]",
		"nocluster": "apiVersion: v1\nkind: Config\ncontexts: [{name: c, context: {cluster: gone, user: u}}]\n",
		"noserver":  "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {}}]\ncontexts: [{name: c, context: {cluster: c}}]\n",
		"nocontext": "apiVersion: v1\nkind: Config\n",
		"nocurrent": "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://c'}}]\n" +
			"contexts: [{name: x, context: {cluster: c}}, {name: z, context: {cluster: c}}]\n",
		"badcurrent": "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://c'}}]\n" +
			"contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: old\n",
		"secret":         "apiVersion: v1\nkind: Config\nusers: [{name: u, user: {token: [hunter2]}}]\n",
		"two/pki/ca.crt": string(env.REST.CAData), "two/pki/token": "t", "home/.kube/config": alpha,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadConfig(t *testing.T) {
	t.Parallel()
	dir := files(t)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	list := strings.Join([]string{in("one/config"), in("missing/config"), in("two/config")}, string(filepath.ListSeparator))
	tests := map[string]struct {
		src                     kube.ConfigSource
		env                     map[string]string
		host, context, ns, path string
	}{
		"current context of the first file": {
			env: map[string]string{"KUBECONFIG": list}, host: "https://127.0.0.1:9", context: "alpha", ns: "default", path: "one/config",
		},
		"context of the second file, with its namespace": {
			src: kube.ConfigSource{Context: "beta"}, env: map[string]string{"KUBECONFIG": list},
			host: "https://beta.example:6443", context: "beta", ns: "team-a", path: "two/config",
		},
		"the only context without a current one": {
			src: kube.ConfigSource{Path: in("two/config")}, host: "https://beta.example:6443", context: "beta", ns: "team-a", path: "two/config",
		},
		"a path wins over the list": {
			src: kube.ConfigSource{Path: in("one/config")}, env: map[string]string{"KUBECONFIG": in("two/config")},
			host: "https://127.0.0.1:9", context: "alpha", ns: "default", path: "one/config",
		},
		"home": {
			env: map[string]string{"HOME": in("home")}, host: "https://127.0.0.1:9", context: "alpha", ns: "default", path: "home/.kube/config",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.src.Getenv = func(k string) string { return tc.env[k] }
			cfg, err := kube.LoadConfig(tc.src)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{cfg.REST.Host, cfg.Context, cfg.Namespace, cfg.Path}
			want := []string{tc.host, tc.context, tc.ns, in(tc.path)}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("got %q, want %q", got, want)
			}
			if tc.context == "beta" && (cfg.REST.CAFile != in("two/pki/ca.crt") || cfg.REST.BearerTokenFile != in("two/pki/token")) {
				t.Errorf("relative paths became %q and %q", cfg.REST.CAFile, cfg.REST.BearerTokenFile)
			}
		})
	}
}

func TestLoadConfigErrors(t *testing.T) {
	t.Parallel()
	dir := files(t)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	list := in("one/config") + string(filepath.ListSeparator) + in("two/config")
	tests := map[string]struct {
		src  kube.ConfigSource
		env  map[string]string
		want []string
	}{
		"unknown context lists those there are": {
			src: kube.ConfigSource{Context: "gamma"}, env: map[string]string{"KUBECONFIG": list}, want: []string{`"gamma"`, "alpha, beta"},
		},
		"missing file":          {src: kube.ConfigSource{Path: in("nope")}, want: []string{in("nope"), "no such file"}},
		"folder":                {src: kube.ConfigSource{Path: dir}, want: []string{dir, "folder"}},
		"empty":                 {src: kube.ConfigSource{Path: in("empty")}, want: []string{"empty"}},
		"text":                  {src: kube.ConfigSource{Path: in("notes")}, want: []string{in("notes"), "not a kubeconfig"}},
		"a list":                {src: kube.ConfigSource{Path: in("list")}, want: []string{in("list"), "not a kubeconfig"}},
		"no contexts":           {src: kube.ConfigSource{Path: in("nocontext")}, want: []string{"has no contexts"}},
		"cluster isn't there":   {src: kube.ConfigSource{Path: in("nocluster")}, want: []string{`"gone"`}},
		"no server":             {src: kube.ConfigSource{Path: in("noserver")}, want: []string{"no server"}},
		"several, none current": {src: kube.ConfigSource{Path: in("nocurrent")}, want: []string{"no current-context", "x, z"}},
		"current isn't there":   {src: kube.ConfigSource{Path: in("badcurrent")}, want: []string{`"old"`, "x"}},
		"secret stays secret":   {src: kube.ConfigSource{Path: in("secret")}, want: []string{"not a kubeconfig"}},
		"nothing at all":        {want: []string{"no kubeconfig"}},
		"nothing at home":       {env: map[string]string{"HOME": dir}, want: []string{"no kubeconfig", ".kube/config"}},
		"list of missing files": {
			env: map[string]string{"KUBECONFIG": in("no1") + ":" + in("no2")}, want: []string{"no kubeconfig", "no1", "no2"},
		},
		"in a pod without its files": {
			env: map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}, want: []string{"service account"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.src.Getenv = func(k string) string { return tc.env[k] }
			_, err := kube.LoadConfig(tc.src)
			wantError(t, err, tc.want...)
			for _, never := range []string{"localhost:8080", "hunter2"} {
				if strings.Contains(err.Error(), never) {
					t.Errorf("error says %q: %v", never, err)
				}
			}
			if code := fault.CodeOf(err); code != fault.Usage && name != "in a pod without its files" {
				t.Errorf("code = %d, want %d", code, fault.Usage)
			}
		})
	}
}

func TestExecPlugin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"" + env.REST.BearerToken + "\"}}'\n"
	if err := os.WriteFile(filepath.Join(dir, "login"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"./login": "", "./nothing": "no credentials for https://"} {
		path := filepath.Join(dir, "config"+filepath.Base(command))
		text := fmt.Sprintf(`
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %q}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: %q, interactiveMode: Never}}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
`, env.REST.Host, base64.StdEncoding.EncodeToString(env.REST.CAData), command)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := kube.LoadConfig(kube.ConfigSource{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		_, err = connect(t, cfg.REST).Ping(t.Context())
		if want == "" && err != nil {
			t.Error(err)
		} else if want != "" {
			wantError(t, err, want, "nothing")
			if !errors.Is(err, kube.ErrUnauthorized) || kube.Classify(err) != kube.ClassFatal {
				t.Errorf("error = %v", err)
			}
		}
	}
}
