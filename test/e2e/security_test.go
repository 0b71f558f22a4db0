// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// whoGetsIn looks at the running bootstrap cluster with the eyes of somebody else on this host.
func (h *home) whoGetsIn(t *testing.T) {
	t.Run("API server", h.anonymous)
	t.Run("etcd", h.etcdWithoutCertificate)
	t.Run("files", h.filesAreClosed)
	t.Run("arguments", h.noSecretArguments)
	t.Run("addresses", h.loopbackOnly)
}

// stranger is a client without any credentials that trusts everybody.
func stranger() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the point is to get in
	}}
}

func (h *home) anonymous(t *testing.T) {
	cfg, err := clientcmd.BuildConfigFromFlags("", h.management("demo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api", "/version", "/healthz", "/metrics", "/apis/cluster.x-k8s.io/v1beta2/clusters"} {
		for _, token := range []string{"", "Bearer guess"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cfg.Host+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", token)
			resp, err := stranger().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("GET %s with token %q: %s", path, token, resp.Status)
			}
		}
	}
}

func (h *home) etcdWithoutCertificate(t *testing.T) {
	ports := listenersOf(h.table("demo").pid("etcd"))
	if len(ports) == 0 {
		t.Error("etcd listens nowhere")
	}
	for _, l := range ports {
		for _, scheme := range []string{"https", "http"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s://%s/version", scheme, l), http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := stranger().Do(req)
			if err != nil {
				continue // Refused, as it should be.
			}
			_ = resp.Body.Close()
			if resp.StatusCode < 400 {
				t.Errorf("%s answers a stranger: %s", req.URL, resp.Status)
			}
		}
	}
}

func (h *home) filesAreClosed(t *testing.T) {
	dir := h.bootstrap("demo")
	for _, d := range []string{dir, filepath.Join(h.state(), "runs")} {
		if st, err := os.Stat(d); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", d, st.Mode(), err)
		}
	}
	if os.Getuid() != 0 {
		t.Log("not root: can't try it as another user")
		return
	}
	cat := exec.CommandContext(t.Context(), "cat", h.management("demo"))
	cat.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cat.CombinedOutput(); err == nil || !strings.Contains(string(out), "ermission denied") {
		t.Errorf("another user reads the kubeconfig: %v %.100s", err, out)
	}
}

// noSecretArguments wants no key, token or password where every user sees it.
func (h *home) noSecretArguments(t *testing.T) {
	secrets := h.secrets(t)
	if len(secrets) < 5 {
		t.Errorf("found only %d keys to look for", len(secrets))
	}
	for _, pid := range marked(h.state()) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		for _, s := range append(secrets, "PRIVATE KEY") {
			if strings.Contains(string(data), s) {
				t.Errorf("a secret is in the arguments of %s", describe(pid))
			}
		}
	}
}

// secrets are a line of each private key of the bootstrap cluster, as it is and as a kubeconfig holds it.
func (h *home) secrets(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(h.bootstrap("demo"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what came and went meanwhile
		}
		data, _ := os.ReadFile(path)
		if strings.HasSuffix(path, ".key") {
			if lines := strings.Split(string(data), "\n"); len(lines) > 2 {
				out = append(out, lines[1])
			}
		}
		for line := range strings.Lines(string(data)) {
			if key, ok := strings.CutPrefix(strings.TrimSpace(line), "client-key-data: "); ok {
				out = append(out, key)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return out
}

// loopbackOnly wants everything on loopback but what a provider's program can't be told: the webhook server of each manager (it has
// a flag for the port only), and of the Docker provider port 19000 and the API servers of simulated clusters.
func (h *home) loopbackOnly(t *testing.T) {
	table := h.table("demo")
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager"} {
		on := listenersOf(table.pid(name))
		if len(on) == 0 || slices.ContainsFunc(on, func(l listener) bool { return l.ip.String() != "127.0.0.1" }) {
			t.Errorf("%s listens on %v", name, on)
		}
	}
	if on := listenersOf(table.Supervisor.PID); len(on) > 0 {
		t.Errorf("the supervisor listens on %v", on)
	}
	for _, p := range table.Processes {
		if !strings.Contains(p.Name, "/") {
			continue
		}
		open := slices.DeleteFunc(listenersOf(p.Ident.PID), func(l listener) bool {
			simulated := l.port == providerPort || l.port >= 20000 && l.port <= 30000
			return l.ip.IsLoopback() || simulated && p.Name == "capd-system/capd-controller-manager"
		})
		if len(open) != 1 {
			t.Errorf("%s listens on %v: want its webhook server alone on all addresses", p.Name, open)
		}
	}
}
