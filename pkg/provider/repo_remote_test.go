// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

const githubBase = "/kubernetes-sigs/cluster-api/releases/"

func releases() map[string]string {
	return map[string]string{
		githubBase + "latest": "→ " + githubBase + "tag/v1.14.2",
		githubBase + "download/v1.14.2/infrastructure-components-development.yaml": "components",
		githubBase + "download/v1.14.2/core-components.yaml":                       "core",
		githubBase + "download/v1.14.2/metadata.yaml":                              "metadata",
		githubBase + "download/v1.14.2/cluster-template-dev.yaml":                  "template",
	}
}

func docker(version string) Spec {
	return Spec{Type: InfrastructureProvider, Name: "docker", Version: version}
}

func TestPinnedVersionAsksForItsFilesOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, releases())
	dirs := paths.Dirs{Cache: t.TempDir()}
	want := []string{
		"GET " + githubBase + "download/v1.14.2/infrastructure-components-development.yaml",
		"GET " + githubBase + "download/v1.14.2/cluster-template-dev.yaml",
	}
	for _, run := range []struct {
		name string
		want []string
	}{{"first", want}, {"second", nil}} {
		c, _ := load(t, LoadOptions{Dirs: dirs, Client: s.client()})
		r, err := c.Resolve(t.Context(), docker("v1.14.2"))
		if err != nil {
			t.Fatal(err)
		}
		src, err := r.File(t.Context(), r.Repository.ComponentsFile())
		if err != nil || string(src.Data) != "components" {
			t.Fatalf("components: %q, %v", src.Data, err)
		}
		if want := "infrastructure-docker/v1.14.2/infrastructure-components-development.yaml"; src.Name != want {
			t.Errorf("name %q", src.Name)
		}
		if src, err := r.Template(t.Context(), "dev"); err != nil || string(src.Data) != "template" {
			t.Errorf("template: %q, %v", src.Data, err)
		}
		if d := cmp.Diff(run.want, s.requests()); d != "" {
			t.Errorf("%s run: requests (-want +got):\n%s", run.name, d)
		}
	}
}

func TestBrokenCacheIsFetchedAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, releases())
	dirs := paths.Dirs{Cache: t.TempDir()}
	read := func() string {
		t.Helper()
		c, _ := load(t, LoadOptions{Dirs: dirs, Client: s.client()})
		r, err := c.Resolve(t.Context(), docker("v1.14.2"))
		if err != nil {
			t.Fatal(err)
		}
		src, err := r.File(t.Context(), r.Repository.ComponentsFile())
		if err != nil {
			t.Fatal(err)
		}
		return string(src.Data)
	}
	read()
	files, _ := filepath.Glob(filepath.Join(dirs.Cache, "providers", "infrastructure-docker", "v1.14.2", "*", "*.yaml"))
	if len(files) != 1 {
		t.Fatalf("cache holds %v", files)
	}
	for name, damage := range map[string]func() error{
		"half written":  func() error { return os.WriteFile(files[0], []byte("comp"), 0o600) },
		"file gone":     func() error { return os.Remove(files[0]) },
		"checksum gone": func() error { return os.Remove(files[0] + ".sha256") },
	} {
		s.requests()
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if got := read(); got != "components" || len(s.requests()) != 1 {
			t.Errorf("%s: read %q", name, got)
		}
	}
}

func TestLatestIsOneRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, releases())
	c, _ := load(t, LoadOptions{Client: s.client()})
	for _, spec := range []Spec{
		docker(""), docker(Latest), {Type: CoreProvider, Name: CoreName}, {Type: BootstrapProvider, Name: "kubeadm"},
	} {
		r, err := c.Resolve(t.Context(), spec)
		if err != nil || r.Version != "v1.14.2" {
			t.Fatalf("%v: %v, %v", spec, r, err)
		}
	}
	if d := cmp.Diff([]string{"HEAD " + githubBase + "latest"}, s.requests()); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

func TestVersionThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, releases())
	c, _ := load(t, LoadOptions{Client: s.client()})
	r, err := c.Resolve(t.Context(), docker("v9.9.9"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Components(t.Context(), ComponentOptions{})
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "version v9.9.9 of provider docker") {
		t.Errorf("error: %v", err)
	}
	if h := strings.Join(fault.Hints(err), "\n"); !strings.Contains(h, "v1.14.2") {
		t.Errorf("hints: %s", h)
	}
}

func TestRemoteAddresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ url, version, want string }{
		{"https://github.com/o/r/releases/latest/c.yaml", "v1.2.3", "https://github.com/o/r/releases/download/v1.2.3/metadata.yaml"},
		{"https://github.com/o/r/releases/v1.0.0/c.yaml", "v1.2.3", "https://github.com/o/r/releases/download/v1.2.3/metadata.yaml"},
		{"https://github.com/o/r/releases/download/v1.0.0/c.yaml", "v1.2.3", "https://github.com/o/r/releases/download/v1.2.3/metadata.yaml"},
		{"https://github.com/o/r/releases/latest/download/c.yaml", "v1.2.3", "https://github.com/o/r/releases/download/v1.2.3/metadata.yaml"},
		{"https://gitlab.example/api/v4/projects/a%2Fb/packages/generic/p/v1.0.0/c.yaml", "v1.2.3", "https://gitlab.example/api/v4/projects/a%2Fb/packages/generic/p/v1.2.3/metadata.yaml"},
		{"https://m.example/v1.0.0/x/v1.0.0/sub/c.yaml", "v1.2.3", "https://m.example/v1.0.0/x/v1.2.3/sub/metadata.yaml"},
		{"https://m.example/capi/releases/latest/c.yaml", "v1.2.3", "https://m.example/capi/releases/v1.2.3/metadata.yaml"},
	} {
		r, err := parseRemote(Entry{Name: "x", Type: InfrastructureProvider, URL: tc.url})
		if err != nil {
			t.Errorf("%s: %v", tc.url, err)
			continue
		}
		if got := r.address(tc.version, "metadata.yaml"); got != tc.want || r.ComponentsFile() != "c.yaml" {
			t.Errorf("%s: %s, want %s", tc.url, got, tc.want)
		}
	}
	for _, bad := range []string{
		"https://github.com/o/r", "https://github.com/o/r/blob/v1.0.0/c.yaml", "https://m.example/c.yaml", "https://m.example/v1.0.0", "https://m.example/v1.0.0/",
	} {
		if r, err := parseRemote(Entry{Name: "x", URL: bad}); err == nil {
			t.Errorf("%s: %+v", bad, r)
		}
	}
}

func TestServersThatMisbehave(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"/v1.0.0/busy.yaml": "!503 fine",
		"/v1.0.0/page.yaml": "\n<!DOCTYPE html><html>log in</html>",
		"/latest/c.yaml":    "no redirect",
		"/moved/c.yaml":     "→ /v1.0.0/busy.yaml",
	})
	f := &fetcher{client: s.client()}
	if b, err := f.get(t.Context(), "https://x.example/v1.0.0/busy.yaml"); err != nil || string(b) != "fine" {
		t.Errorf("503 and then fine: %q, %v", b, err)
	}
	if _, err := f.get(t.Context(), "https://x.example/v1.0.0/page.yaml"); err == nil || !strings.Contains(err.Error(), "web page") {
		t.Errorf("page: %v", err)
	}
	if b, err := f.get(t.Context(), "https://x.example/moved/c.yaml"); err != nil || string(b) != "fine" {
		t.Errorf("redirect: %q, %v", b, err)
	}
	secret := "https://user:pw@x.example/v1.0.0/none.yaml?token=hidden"
	if _, err := f.get(t.Context(), secret); !isNotFound(err) || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "pw") {
		t.Errorf("secret shown: %v", err)
	}
	s.Close()
	if _, err := f.get(t.Context(), secret); err == nil || strings.Contains(err.Error(), "hidden") || len(fault.Hints(err)) == 0 {
		t.Errorf("unreachable: %v, hints %v", err, fault.Hints(err))
	}
}

func TestPlainServerLatest(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"/redirects/latest/c.yaml": "→ /redirects/v2.1.0/c.yaml", "/redirects/v2.1.0/c.yaml": "x",
		"/plain/latest/c.yaml": "x",
	})
	c, _ := load(t, LoadOptions{Client: s.client()})
	latest := func(path string) (string, error) {
		r, err := c.newRepository(Entry{Name: "x", Type: InfrastructureProvider, URL: "https://m.example" + path})
		if err != nil {
			t.Fatal(err)
		}
		return r.Latest(t.Context())
	}
	if v, err := latest("/redirects/latest/c.yaml"); err != nil || v != "v2.1.0" {
		t.Errorf("redirect: %s, %v", v, err)
	}
	if _, err := latest("/plain/latest/c.yaml"); err == nil || !strings.Contains(strings.Join(fault.Hints(err), ""), "name the version") {
		t.Errorf("no redirect: %v", err)
	}
	if _, err := latest("/gone/latest/c.yaml"); !isNotFound(err) {
		t.Errorf("404: %v", err)
	}
}

func TestGitLabToken(t *testing.T) {
	t.Parallel()
	c, _ := load(t, LoadOptions{Getenv: func(n string) string {
		return map[string]string{"GITLAB_ACCESS_TOKEN": "t0k"}[n]
	}})
	for u, want := range map[string]string{
		"https://gitlab.example/api/v4/projects/1/packages/generic/p/v1.0.0/c.yaml": "Bearer t0k",
		"http://gitlab.example/api/v4/projects/1/packages/generic/p/v1.0.0/c.yaml":  "",
		"https://github.com/o/r/releases/download/v1.0.0/c.yaml":                    "",
	} {
		req := httptest.NewRequest(http.MethodGet, u, http.NoBody)
		c.authorize(req)
		if got := req.Header.Get("Authorization"); got != want {
			t.Errorf("%s: %q", u, got)
		}
	}
}
