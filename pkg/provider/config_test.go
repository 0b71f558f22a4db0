// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	embedded "github.com/clusterctl/clusterctl/config"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

func load(t *testing.T, opts LoadOptions) (*Config, []string) {
	t.Helper()
	c, warnings, err := LoadConfig(t.Context(), opts)
	if err != nil {
		t.Fatalf("LoadConfig: %v", err)
	}
	return c, warnings
}

func TestBuiltInProviders(t *testing.T) {
	t.Parallel()
	c, warnings := load(t, LoadOptions{})
	if len(warnings) != 0 {
		t.Errorf("warnings: %v", warnings)
	}
	got := map[Type]int{}
	for _, e := range c.Providers() {
		got[e.Type]++
	}
	want := map[Type]int{
		CoreProvider: 1, BootstrapProvider: 7, ControlPlaneProvider: 10, InfrastructureProvider: 39,
		IPAMProvider: 3, RuntimeExtensionProvider: 1, AddonProvider: 3,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("providers by type (-want +got):\n%s", d)
	}
	e, _ := c.Find(InfrastructureProvider, "docker")
	if want := "https://github.com/kubernetes-sigs/cluster-api/releases/latest/infrastructure-components-development.yaml"; e.URL != want || e.Source != "built-in" {
		t.Errorf("docker is %+v", e)
	}
	if c.CertManager.URL == "" || c.CertManager.Version == "" || c.CertManager.Timeout != 10*time.Minute {
		t.Errorf("cert-manager is %+v", c.CertManager)
	}
}

func TestExampleExplainsWhatIsRead(t *testing.T) {
	t.Parallel()
	live := regexpComment.ReplaceAllString(string(embedded.Example()), "$1")
	dir := t.TempDir()
	path := filepath.Join(dir, "clusterctl.yaml")
	for name, text := range map[string]string{"as shipped": string(embedded.Example()), "all marks taken off": live} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, warnings := load(t, LoadOptions{Path: path, Dirs: paths.Dirs{Home: dir}, Getenv: func(string) string { return "" }})
		if len(warnings) != 0 {
			t.Errorf("%s: warnings %v", name, warnings)
		}
		if _, set := c.variables["KUBERNETES_VERSION"]; set != (name != "as shipped") {
			t.Errorf("%s: KUBERNETES_VERSION set: %v", name, set)
		}
	}
}

func TestGoodConfig(t *testing.T) {
	t.Parallel()
	dir, _ := filepath.Abs("testdata/config")
	c, warnings := load(t, LoadOptions{Path: "testdata/config/good.yaml"})
	e, _ := c.Find(InfrastructureProvider, "lagoon")
	want := Entry{
		Name: "lagoon", Type: InfrastructureProvider, Source: "testdata/config/good.yaml:2",
		URL: filepath.Join(dir, "repo/infrastructure-lagoon/latest/infrastructure-components.yaml"),
	}
	if d := cmp.Diff(want, e); d != "" {
		t.Errorf("lagoon (-want +got):\n%s", d)
	}
	if e, ok := c.Find(AddonProvider, "lagoon"); !ok || e.URL != want.URL {
		t.Errorf("merged entry: %+v", e)
	}
	if e, _ := c.Find(CoreProvider, CoreName); e.URL != "/srv/r/cluster-api/v1.14.2/core-components.yaml" {
		t.Errorf("core: %+v", e)
	}
	cm := CertManager{URL: filepath.Join(dir, "cm/cert-manager.yaml"), Version: "v1.20.0", Timeout: 90 * time.Second, Source: "testdata/config/good.yaml:17"}
	if d := cmp.Diff(cm, c.CertManager); d != "" {
		t.Errorf("cert-manager (-want +got):\n%s", d)
	}
	if c.OverridesFolder != filepath.Join(dir, "ov") {
		t.Errorf("overrides folder %s", c.OverridesFolder)
	}
	vars := map[string]string{
		"ZERO": "007", "HEX": "0x10", "YES": "yes", "FLOAT": "1.10", "EMPTY": "", "lower_case": "kept",
		"MULTI": "one\ntwo\n", "overridesfolder": "typo",
	}
	if d := cmp.Diff(vars, c.Variables()); d != "" {
		t.Errorf("variables (-want +got):\n%s", d)
	}
	all := strings.Join(warnings, "\n")
	for _, part := range []string{`did you mean "overridesFolder"`, `"list" is ignored`, "infrastructure-lagon; did you mean infrastructure-lagoon"} {
		if !strings.Contains(all, part) {
			t.Errorf("no warning with %q in:\n%s", part, all)
		}
	}
}

func TestConfigMistakes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		file    string
		want    []string
		refused bool
	}{
		{"same-name.yaml", nil, false},
		{"duplicate-key.yaml", []string{`:5: key "type" is set twice, first at line 3`, `:7: key "FOO" is set twice`}, true},
		{"unknown-type.yaml", []string{`:2: provider lagoon: unknown type "InfrastructureProviders"`, "CoreProvider, BootstrapProvider"}, true},
		{"label-as-name.yaml", []string{`:2: `, "did you mean kubeadm?"}, true},
		{"duplicate-provider.yaml", []string{":4: provider lagoon (InfrastructureProvider) is listed twice, first at", ":3"}, false},
		{"many-faults.yaml", []string{
			`:2: provider lagoon: unknown type "InfraProvider"`, `:3: provider name "Lagoon"`, `:3: provider Lagoon: url: scheme "ftp"`,
			`:4: provider : name is missing`, `:4: provider : url: https://x.example/infrastructure-components.yaml: the url has no version`,
			`:5: provider cluster-api: the name cluster-api belongs`, `:5: provider cluster-api: url: `, `:6: provider: keys and values`,
			`:8: images: all: `, `:9: images: lagoon: keys and values`, `:11: cert-manager: timeout "soon"`, `:12: cert-manager: externallyProvisioned`,
			`:13: overridesFolder: a single value`,
		}, true},
	} {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			c, warnings, err := LoadConfig(t.Context(), LoadOptions{Path: "testdata/config/" + tc.file})
			if (err != nil) != tc.refused {
				t.Fatalf("refused: %v, want %v", err, tc.refused)
			}
			text := strings.Join(warnings, "\n")
			if err != nil {
				text = err.Error()
				if fault.CodeOf(err) != fault.Usage {
					t.Errorf("code %d", fault.CodeOf(err))
				}
			}
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in:\n%s", want, text)
				}
			}
			if tc.file == "duplicate-provider.yaml" {
				if e, _ := c.Find(InfrastructureProvider, "lagoon"); !strings.Contains(e.URL, "/srv/two/") {
					t.Errorf("the last one doesn't win: %s", e.URL)
				}
			}
		})
	}
}

func TestConfigPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dirs := paths.Dirs{Config: filepath.Join(dir, "xdg"), Home: filepath.Join(dir, "home")}
	write := func(p, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c, _ := load(t, LoadOptions{Dirs: dirs}); c.Path != "" {
		t.Errorf("no file, but %s", c.Path)
	}
	if _, _, err := LoadConfig(t.Context(), LoadOptions{Dirs: dirs, Path: filepath.Join(dir, "none.yaml")}); fault.CodeOf(err) != fault.Usage {
		t.Errorf("missing file given by name: %v", err)
	}
	old := filepath.Join(dirs.Home, ".cluster-api", "clusterctl.yaml")
	write(old, "A: old\n")
	if c, _ := load(t, LoadOptions{Dirs: dirs}); c.Path != old {
		t.Errorf("old place not found: %q", c.Path)
	}
	write(filepath.Join(dirs.Config, "clusterctl.yaml"), "A: new\n")
	c, _ := load(t, LoadOptions{Dirs: dirs})
	if v, _ := c.Lookup(nil)("A"); v != "new" {
		t.Errorf("A is %q", v)
	}
}

func TestLookupPrecedence(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("FLAG: c\nENV: c\nFILE: c\nEMPTY: c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"FLAG": "e", "ENV": "e", "EMPTY": ""}
	c, _ := load(t, LoadOptions{
		Path: path, Flags: map[string]string{"FLAG": "f", "CLUSTER_NAME": "demo"}, FlagNames: map[string]string{"CLUSTER_NAME": "argument NAME"},
		LookupEnv: func(n string) (string, bool) { v, ok := env[n]; return v, ok },
	})
	for name, want := range map[string][2]string{
		"FLAG": {"f", "flag --flag"}, "ENV": {"e", "environment"}, "FILE": {"c", "config file " + path + ":3"},
		"EMPTY": {"", "environment"}, "CLUSTER_NAME": {"demo", "argument NAME"}, "file": {"", "default"}, "NONE": {"", "default"},
	} {
		v, _ := c.Lookup(nil)(name)
		if v != want[0] || c.SourceOf(name) != want[1] {
			t.Errorf("%s: %q from %q, want %q from %q", name, v, c.SourceOf(name), want[0], want[1])
		}
	}
	over := map[string]string{"ENV": "o"}
	if v, _ := c.Lookup(over)("ENV"); v != "o" || c.SourceOf("ENV", over) != "flag --env" {
		t.Errorf("override: %q from %q", v, c.SourceOf("ENV", over))
	}
}

func TestUnknownProvider(t *testing.T) {
	t.Parallel()
	c, _ := load(t, LoadOptions{})
	for _, tc := range []struct {
		spec Spec
		hint string
	}{
		{Spec{Type: InfrastructureProvider, Name: "dokcer"}, "did you mean docker?"},
		{Spec{Type: InfrastructureProvider, Name: "infrastructure-docker"}, "did you mean --infrastructure docker?"},
		{Spec{Type: InfrastructureProvider, Name: "kubeadm"}, "for --bootstrap or --control-plane"},
		{Spec{Type: InfrastructureProvider, Name: "harvester"}, "did you mean harvester-harvester?"},
		{Spec{Type: InfrastructureProvider, Name: "something-else"}, "add one under providers:"},
	} {
		_, err := c.Resolve(t.Context(), tc.spec)
		hints := strings.Join(fault.Hints(err), "\n")
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(hints, tc.hint) {
			t.Errorf("%v: %v, hints %q", tc.spec, err, hints)
		}
	}
}

func TestParseSpec(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Spec{
		"docker": {Name: "docker"}, "docker:v1.14.2": {Name: "docker", Version: "v1.14.2"}, "docker:latest": {Name: "docker", Version: Latest},
		"a:v1.0.0-rc.1": {Name: "a", Version: "v1.0.0-rc.1"},
	} {
		want.Type = InfrastructureProvider
		got, err := ParseSpec(InfrastructureProvider, in)
		if err != nil || got != want || got.String() != in {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", ":v1.0.0", "docker:", "docker:1.0.0", "docker:v1", "Docker", "docker:v1.0.0:x", "docker:../x"} {
		if got, err := ParseSpec(InfrastructureProvider, in); fault.CodeOf(err) != fault.Usage {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
}

func TestMapImage(t *testing.T) {
	t.Parallel()
	c := &Config{images: map[string]ImageOverride{
		"all":                              {Repository: "mirror.example/capi"},
		"infrastructure-lagoon":            {Tag: "v9"},
		"infrastructure-lagoon/manager":    {Name: "lagoon-manager", Tag: "v10"},
		"infrastructure-lagoon/kube-proxy": {Repository: "other.example:5000"},
	}}
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, tc := range []struct{ component, in, want string }{
		{"cluster-api", "registry.k8s.io/cluster-api/controller:v1", "mirror.example/capi/controller:v1"},
		{"cluster-api", "registry.k8s.io/controller:v1" + digest, "mirror.example/capi/controller:v1" + digest},
		{"cluster-api", "busybox", "mirror.example/capi/busybox"},
		{"infrastructure-lagoon", "localhost:5000/x/other:v1", "mirror.example/capi/other:v9"},
		{"infrastructure-lagoon", "x.example/other:v1" + digest, "mirror.example/capi/other:v9"},
		{"infrastructure-lagoon", "x.example/manager", "mirror.example/capi/lagoon-manager:v10"},
		{"infrastructure-lagoon", "x.example/kube-proxy:v0.1", "other.example:5000/kube-proxy:v9"},
	} {
		if got, err := c.MapImage(tc.component, tc.in); err != nil || got != tc.want {
			t.Errorf("%s of %s: %q (%v), want %q", tc.in, tc.component, got, err, tc.want)
		}
	}
	if _, err := c.MapImage("cluster-api", "no/Such Image"); err == nil {
		t.Error("malformed image accepted")
	}
	if got, _ := (&Config{}).MapImage("cluster-api", "busybox"); got != "busybox" {
		t.Errorf("no overrides: %q", got)
	}
}
