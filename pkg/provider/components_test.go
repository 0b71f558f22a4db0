// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

const (
	coreMetadata   = "apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3\nkind: Metadata\nreleaseSeries:\n- {major: 1, minor: 14, contract: v1beta2}\n"
	lagoonMetadata = "apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3\nreleaseSeries:\n- {major: 0, minor: 2, contract: v1alpha4}\n- {major: 0, minor: 3, contract: v1beta1}\n"
	repoConfig     = "LAGOON_REGION: north\nproviders:\n" +
		"- {name: cluster-api, type: CoreProvider, url: cluster-api/latest/core-components.yaml}\n" +
		"- {name: lagoon, type: InfrastructureProvider, url: infrastructure-lagoon/latest/infrastructure-components.yaml}\n"
)

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/components", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// repo writes a repository with a core provider and the lagoon provider; more replaces or adds files.
func repo(t *testing.T, lagoon string, more map[string]string) (*Config, string) {
	t.Helper()
	files := map[string]string{
		"clusterctl.yaml":                                             repoConfig,
		"cluster-api/v1.14.2/core-components.yaml":                    text(t, "core.yaml"),
		"cluster-api/v1.14.2/metadata.yaml":                           coreMetadata,
		"infrastructure-lagoon/v0.3.0/infrastructure-components.yaml": lagoon,
		"infrastructure-lagoon/v0.3.0/metadata.yaml":                  lagoonMetadata,
	}
	for name, content := range more {
		files[name] = content
	}
	dir := tree(t, files)
	c, _ := load(t, LoadOptions{Path: filepath.Join(dir, "clusterctl.yaml")})
	return c, dir
}

func coreSpec() Spec   { return Spec{Type: CoreProvider, Name: CoreName} }
func lagoonSpec() Spec { return Spec{Type: InfrastructureProvider, Name: "lagoon"} }

func components(t *testing.T, c *Config, opts ComponentOptions, specs ...Spec) ([]*Components, error) {
	t.Helper()
	var releases []*Release
	for _, s := range specs {
		r, err := c.Resolve(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, r)
	}
	if opts.Lookup == nil {
		opts.Lookup = c.Lookup(nil)
	}
	return LoadComponents(t.Context(), releases, opts)
}

func find(objs []manifest.Object, kind, name string) *unstructured.Unstructured {
	for _, o := range objs {
		if o.GetKind() == kind && o.GetName() == name {
			return o.Unstructured
		}
	}
	return nil
}

func TestComponents(t *testing.T) {
	t.Parallel()
	c, _ := repo(t, text(t, "lagoon.yaml"), map[string]string{
		"clusterctl.yaml": repoConfig + "images:\n  all: {repository: mirror.example}\n  infrastructure-lagoon/lagoon-controller: {tag: v9}\n",
	})
	all, err := components(t, c, ComponentOptions{}, coreSpec(), lagoonSpec())
	if err != nil {
		t.Fatal(err)
	}
	l := all[1]
	if l.Version != "v0.3.0" || l.TargetNamespace != "lagoon-system" || l.Label() != "infrastructure-lagoon" {
		t.Errorf("components: %s %s in %s", l.Label(), l.Version, l.TargetNamespace)
	}
	if d := cmp.Diff([]string{"mirror.example/lagoon-controller:v9"}, l.Images); d != "" {
		t.Errorf("images (-want +got):\n%s", d)
	}
	var vars []string
	for _, v := range l.Variables {
		vars = append(vars, v.Name)
	}
	slices.Sort(vars)
	if d := cmp.Diff([]string{"LAGOON_REGION", "LAGOON_SYNC"}, vars); d != "" {
		t.Errorf("variables (-want +got):\n%s", d)
	}
	for _, o := range l.Objects {
		if v, ok := o.GetLabels()[ClusterctlLabel]; !ok || v != "" || o.GetLabels()[capi.ProviderLabel] != "infrastructure-lagoon" {
			t.Errorf("%s %s has labels %v", o.GetKind(), o.GetName(), o.GetLabels())
		}
	}
	if v := find(l.Objects, "CustomResourceDefinition", "lagoonclusters.infrastructure.cluster.x-k8s.io").GetLabels()["cluster.x-k8s.io/v1beta2"]; v != "v1" {
		t.Errorf("the object's own label is %q", v)
	}
	region, _, _ := unstructured.NestedString(find(l.Objects, "ConfigMap", "lagoon-settings").Object, "data", "region")
	if region != "north" {
		t.Errorf("region %q", region)
	}
}

func TestTargetNamespace(t *testing.T) {
	t.Parallel()
	const two = "\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: another}\n"
	none := strings.Replace(text(t, "lagoon.yaml"), "kind: Namespace\nmetadata: {name: lagoon-system}", "kind: ConfigMap\nmetadata: {name: other, namespace: lagoon-system}", 1)
	for _, tc := range []struct {
		name, lagoon, target, want, fault string
	}{
		{"as it is", text(t, "lagoon.yaml"), "", "lagoon-system", ""},
		{"moved", text(t, "lagoon.yaml"), "harbour", "harbour", ""},
		{"no Namespace", none, "", "", "no Namespace"},
		{"no Namespace, but a target", none, "harbour", "harbour", ""},
		{"two Namespaces", text(t, "lagoon.yaml") + two, "", "", "more than one Namespace"},
		{"two Namespaces and a target", text(t, "lagoon.yaml") + two, "harbour", "", "more than one Namespace"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, _ := repo(t, tc.lagoon, nil)
			all, err := components(t, c, ComponentOptions{TargetNamespace: tc.target}, lagoonSpec())
			if tc.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fault) || !strings.Contains(err.Error(), "infrastructure-components.yaml") {
					t.Errorf("error: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if all[0].TargetNamespace != tc.want || find(all[0].Objects, "Namespace", tc.want) == nil {
				t.Errorf("namespace %s", all[0].TargetNamespace)
			}
			if ns := find(all[0].Objects, "Deployment", "lagoon-controller-manager").GetNamespace(); ns != tc.want {
				t.Errorf("Deployment in %s", ns)
			}
		})
	}
}

func TestMissingVariablesOfAllProviders(t *testing.T) {
	t.Parallel()
	c, _ := repo(t, text(t, "lagoon.yaml"), map[string]string{
		"clusterctl.yaml":                          strings.TrimPrefix(repoConfig, "LAGOON_REGION: north\n"),
		"cluster-api/v1.14.2/core-components.yaml": strings.Replace(text(t, "core.yaml"), ":=true", "", 1),
	})
	_, err := components(t, c, ComponentOptions{}, coreSpec(), lagoonSpec())
	var missing *manifest.MissingVariablesError
	if !errors.As(err, &missing) {
		t.Fatalf("error: %v", err)
	}
	for _, want := range []string{"CLUSTER_TOPOLOGY", "LAGOON_REGION", "core-components.yaml:", "infrastructure-components.yaml:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in: %v", want, err)
		}
	}
	if len(fault.Hints(err)) == 0 {
		t.Error("no hint")
	}
	if _, err := components(t, c, ComponentOptions{SkipVariables: true}, coreSpec(), lagoonSpec()); err != nil {
		t.Errorf("variables skipped: %v", err)
	}
}

// A separator is missing, so that one object would take the other's place without a word.
func TestMissingSeparator(t *testing.T) {
	t.Parallel()
	c, _ := repo(t, text(t, "missing-separator.yaml"), nil)
	_, err := components(t, c, ComponentOptions{}, lagoonSpec())
	if err == nil {
		t.Fatal("accepted")
	}
	if !regexp.MustCompile(`infrastructure-components\.yaml:1[123]\b`).MatchString(err.Error()) {
		t.Errorf("error names no place: %v", err)
	}
	if !regexp.MustCompile(`duplicate|twice|already`).MatchString(err.Error()) {
		t.Errorf("error doesn't say what is wrong: %v", err)
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, contract, fault string }{
		{"fine", lagoonMetadata, "v1beta1", ""},
		{"no kind", strings.Replace(coreMetadata, "kind: Metadata\n", "", 1), "", "doesn't list this release series, only 1.14"},
		{"other kind", strings.Replace(lagoonMetadata, "release", "kind: Other\nrelease", 1), "", "kind is"},
		{"other version", strings.Replace(lagoonMetadata, "v1alpha3", "v9", 1), "", "apiVersion is"},
		{"empty", "", "", "apiVersion is"},
		{"not YAML", "a: b: c", "", "not valid YAML"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, _ := repo(t, text(t, "lagoon.yaml"), map[string]string{"infrastructure-lagoon/v0.3.0/metadata.yaml": tc.text})
			r, err := c.Resolve(t.Context(), lagoonSpec())
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Contract(t.Context())
			if got != tc.contract || (err == nil) != (tc.fault == "") || (err != nil && !strings.Contains(err.Error(), tc.fault)) {
				t.Errorf("contract %q, error %v", got, err)
			}
		})
	}
}
