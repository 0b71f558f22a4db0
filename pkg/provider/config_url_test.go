// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

func TestConfigFromURL(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"/c.yaml":        "A: b\n",
		"/relative.yaml": "providers:\n- {name: lagoon, type: InfrastructureProvider, url: repo/infrastructure-lagoon/v0.3.0/c.yaml}\n",
	})
	c, _ := load(t, LoadOptions{Path: "https://x.example/c.yaml?token=hidden", Client: s.client()})
	if v, ok := c.Lookup(nil)("A"); !ok || v != "b" {
		t.Errorf("A is %q", v)
	}
	if got := c.SourceOf("A"); got != "config file https://x.example/c.yaml:1" {
		t.Errorf("source %q", got)
	}
	for path, want := range map[string]string{
		"https://x.example/relative.yaml":          "must be absolute",
		"https://x.example/none.yaml?token=hidden": "404",
	} {
		_, _, err := LoadConfig(t.Context(), LoadOptions{Path: path, Client: s.client()})
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestURLsUseTheEnvironment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := map[string]string{"REPO": "/srv/repo"}
	const line = "- {name: lagoon, type: InfrastructureProvider, url: \"%\"}\n"
	for url, want := range map[string]string{
		"${REPO}/infrastructure-lagoon/v0.3.0/c.yaml":      "/srv/repo/infrastructure-lagoon/v0.3.0/c.yaml",
		"${HOME}/infrastructure-lagoon/v0.3.0/c.yaml":      filepath.Join(dir, "infrastructure-lagoon/v0.3.0/c.yaml"),
		"~/infrastructure-lagoon/v0.3.0/c.yaml":            filepath.Join(dir, "infrastructure-lagoon/v0.3.0/c.yaml"),
		"a b/%20/infrastructure-lagoon/v0.3.0/c.yaml":      filepath.Join(dir, "a b/%20/infrastructure-lagoon/v0.3.0/c.yaml"),
		"file:///a%20b/infrastructure-lagoon/v0.3.0/c.yml": "/a b/infrastructure-lagoon/v0.3.0/c.yml",
		"${NONE}/infrastructure-lagoon/v0.3.0/c.yaml":      "",
		"oci://x.example/infrastructure-lagoon/v0.3.0/c":   "",
	} {
		path := write(t, dir, "c.yaml", "providers:\n"+strings.Replace(line, "%", url, 1))
		c, _, err := LoadConfig(t.Context(), LoadOptions{Path: path, Dirs: paths.Dirs{Home: dir}, Getenv: func(n string) string { return env[n] }})
		if want == "" {
			if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), path+":2") {
				t.Errorf("%s: %v", url, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if e, _ := c.Find(InfrastructureProvider, "lagoon"); e.URL != want {
			t.Errorf("%s: %s, want %s", url, e.URL, want)
		}
	}
}

func TestLatestWithoutNetwork(t *testing.T) {
	t.Parallel()
	s := newSite(t, releases())
	dirs := paths.Dirs{Cache: t.TempDir()}
	c, _ := load(t, LoadOptions{Dirs: dirs, Client: s.client()})
	r, err := c.Resolve(t.Context(), docker("v1.14.2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.File(t.Context(), r.Repository.ComponentsFile()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	c, _ = load(t, LoadOptions{Dirs: dirs, Client: s.client()})
	if _, err := c.Resolve(t.Context(), docker("v1.14.2")); err != nil {
		t.Errorf("pinned: %v", err)
	}
	_, err = c.Resolve(t.Context(), docker(""))
	if h := strings.Join(fault.Hints(err), "\n"); err == nil || !strings.Contains(h, "v1.14.2 can be used without asking") {
		t.Errorf("latest: %v; %s", err, h)
	}
}

func TestCertManagerSource(t *testing.T) {
	t.Parallel()
	const base = "/cert-manager/cert-manager/releases/download/"
	dir := tree(t, map[string]string{"cm/v1.2.3/cert-manager.yaml": "local"})
	s := newSite(t, map[string]string{base + "v1.21.1/cert-manager.yaml": "default", base + "v1.20.0/cert-manager.yaml": "other"})
	for config, want := range map[string][2]string{
		"A: b":                             {"default", "v1.21.1"},
		"cert-manager: {version: v1.20.0}": {"other", "v1.20.0"},
		"cert-manager: {url: cm/v1.2.3/cert-manager.yaml}":                                                       {"local", "v1.2.3"},
		"cert-manager: {url: cm/v1.2.3/cert-manager.yaml, version: v9.9.9}":                                      {"local", "v9.9.9"},
		"cert-manager: {url: 'https://github.com/cert-manager/cert-manager/releases/v1.20.0/cert-manager.yaml'}": {"other", "v1.20.0"},
	} {
		c, _ := load(t, LoadOptions{Path: write(t, dir, "c.yaml", config+"\n"), Client: s.client()})
		src, ver, err := c.certManagerSource(t.Context())
		if d := cmp.Diff(want, [2]string{string(src.Data), ver}); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", config, err, d)
		}
	}
}
