// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

// Warnings of a server and the flags' namespace; what a server really does is tested with a real one, in pkg/kube.
func TestKubeShowsWarningsOnceAtTheEnd(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("User-Agent"); !strings.HasPrefix(got, "clusterctl/") {
			t.Errorf("user agent %q", got)
		}
		w.Header().Add("Warning", `299 - "v1alpha3 is deprecated"`)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"gitVersion":"v1.34.4"}`)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: c, cluster: {server: %q}}]\ncontexts: [{name: a, context: {cluster: c, namespace: ns-of-context}}]\n", server.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	f := NewFactory(ui.Streams{ErrOut: &errOut}, func(string) (string, bool) { return "", false })
	for _, c := range []struct{ flag, want string }{{"", "ns-of-context"}, {"given", "given"}} {
		client, cfg, err := f.Kube(t.Context(), KubeFlags{Kubeconfig: path, Namespace: c.flag})
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Namespace != c.want {
			t.Errorf("namespace %q, want %q", cfg.Namespace, c.want)
		}
		if _, err := client.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if errOut.Len() > 0 {
		t.Errorf("shown too early: %s", errOut.String())
	}
	f.Close()
	f.Close()
	f.View().Close()
	if n := strings.Count(errOut.String(), "v1alpha3 is deprecated"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, errOut.String())
	}
}
