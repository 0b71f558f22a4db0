// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestLocalRepository(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"infrastructure-lagoon/v0.9.0/c.yaml":                                "nine",
		"infrastructure-lagoon/v0.10.0/c.yaml":                               "ten",
		"infrastructure-lagoon/v0.10.0/cluster-template.yaml":                "default",
		"infrastructure-lagoon/v0.10.0/cluster-template-dev.yaml":            "dev",
		"infrastructure-lagoon/v0.10.0/clusterclass-quick.yaml":              "class",
		"infrastructure-lagoon/v1.0.0-beta.1/c.yaml":                         "beta",
		"infrastructure-lagoon/notes/c.yaml":                                 "no version",
		"only-beta/v1.0.0-alpha.2/c.yaml":                                    "a2",
		"only-beta/v1.0.0-alpha.10/c.yaml":                                   "a10",
		"overrides/infrastructure-lagoon/v0.9.0/c.yaml":                      "override",
		"overrides/infrastructure-lagoon/v0.10.0/cluster-template-mine.yaml": "mine",
		"clusterctl.yaml": "overridesFolder: overrides\nproviders:\n" +
			"- {name: lagoon, type: InfrastructureProvider, url: infrastructure-lagoon/latest/c.yaml}\n" +
			"- {name: beta, type: InfrastructureProvider, url: only-beta/latest/c.yaml}\n" +
			"- {name: nothing, type: InfrastructureProvider, url: none/latest/c.yaml}\n",
	})
	c, _ := load(t, LoadOptions{Path: filepath.Join(dir, "clusterctl.yaml")})
	spec := func(name, v string) Spec { return Spec{Type: InfrastructureProvider, Name: name, Version: v} }
	for _, tc := range []struct {
		spec          Spec
		version, text string
	}{
		{spec("lagoon", ""), "v0.10.0", "ten"},
		{spec("lagoon", "v0.9.0"), "v0.9.0", "override"},
		{spec("lagoon", "v1.0.0-beta.1"), "v1.0.0-beta.1", "beta"},
		{spec("beta", Latest), "v1.0.0-alpha.10", "a10"},
	} {
		r, err := c.Resolve(t.Context(), tc.spec)
		if err != nil {
			t.Fatalf("%v: %v", tc.spec, err)
		}
		src, err := r.File(t.Context(), "c.yaml")
		if err != nil || r.Version != tc.version || string(src.Data) != tc.text {
			t.Errorf("%v: %s %q, %v", tc.spec, r.Version, src.Data, err)
		}
	}
	_, err := c.Resolve(t.Context(), spec("lagoon", "v0.8.0"))
	if h := strings.Join(fault.Hints(err), ""); fault.CodeOf(err) != fault.Usage || !strings.Contains(h, "v0.9.0, v0.10.0, v1.0.0-beta.1") {
		t.Errorf("unknown version: %v; %s", err, h)
	}
	if _, err := c.Resolve(t.Context(), spec("nothing", "")); fault.CodeOf(err) != fault.Usage {
		t.Errorf("no folder: %v", err)
	}
	r, _ := c.Resolve(t.Context(), spec("lagoon", ""))
	if d := cmp.Diff([]string{"dev", "mine"}, r.Flavors()); d != "" {
		t.Errorf("flavors (-want +got):\n%s", d)
	}
	for flavor, want := range map[string]string{"": "default", "dev": "dev", "mine": "mine"} {
		if src, err := r.Template(t.Context(), flavor); err != nil || string(src.Data) != want {
			t.Errorf("flavor %q: %q, %v", flavor, src.Data, err)
		}
	}
	if src, err := r.ClusterClass(t.Context(), "quick"); err != nil || string(src.Data) != "class" {
		t.Errorf("class: %q, %v", src.Data, err)
	}
	_, err = r.Template(t.Context(), "dve")
	if h := strings.Join(fault.Hints(err), ""); !errors.Is(err, ErrNotFound) || !strings.Contains(h, "did you mean dev?") || !strings.Contains(h, "dev, mine") {
		t.Errorf("unknown flavor: %v; %s", err, h)
	}
	if _, err := r.Template(t.Context(), "../../x"); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("flavor with a path: %v", err)
	}
}
