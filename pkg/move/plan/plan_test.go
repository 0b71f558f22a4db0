// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestPlansOfProviders makes plans of graphs in the shapes that providers document. Each testdata/*.yaml has the objects; owners
// without a UID are found by kind and name.
func TestPlansOfProviders(t *testing.T) {
	for name, scope := range map[string]Scope{
		"aws":          {Clusters: []types.NamespacedName{{Namespace: "team-a", Name: "heron"}}},
		"azure":        {Namespaces: []string{"team-a"}},
		"vsphere":      {All: true},
		"metal3":       {Namespaces: []string{"team-a"}},
		"openstack":    {Namespaces: []string{"team-a"}},
		"clusterclass": {Namespaces: []string{"team-a"}},
		"shared":       {Clusters: []types.NamespacedName{{Namespace: "team-a", Name: "heron"}}},
		"circle":       {Namespaces: []string{"team-a"}},
		"v1alpha3":     {Namespaces: []string{"team-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			objs := read(t, name+".yaml")
			p, err := FromObjects(objs, kindsOf(objs), scope)
			if err != nil {
				t.Fatal(err)
			}
			sound(t, p)
			golden(t, name+".golden", text(p))
		})
	}
}

// TestWhatStopsAPlan has the faults, all at once, with what to do.
func TestWhatStopsAPlan(t *testing.T) {
	objs := read(t, "stopped.yaml")
	for name, c := range map[string]struct {
		scope Scope
		want  []string
	}{
		"nothing named":     {Scope{}, []string{"nothing is named"}},
		"no such cluster":   {Scope{Clusters: []types.NamespacedName{{Namespace: "team-b", Name: "heron"}}}, []string{"there is no Cluster team-b/heron"}},
		"empty namespace":   {Scope{Namespaces: []string{"nowhere"}}, []string{"nothing to move"}},
		"owners":            {Scope{Namespaces: []string{"team-a"}}, []string{"Machine team-a/lost can't be moved: its owner MachineSet gone doesn't exist", "PondCluster team-a/heron can't be moved: its owner Application heron is of a kind that isn't moved (argoproj.io/v1alpha1)"}},
		"excluded owner":    {Scope{Namespaces: []string{"team-a"}, Exclude: []string{"PondCluster/heron"}, AllowOrphans: []string{"Machine/lost"}}, []string{"PondMachine team-a/wet can't be moved: its owner PondCluster heron is left out by --exclude"}},
		"unknown kind":      {Scope{All: true, Include: []string{"Puddle/x"}}, []string{`--include "Puddle/x": the management cluster has no kind "Puddle"`}},
		"malformed":         {Scope{All: true, Exclude: []string{"a/b/c/d"}}, []string{`want KIND, KIND/NAME`}},
		"allowed by a flag": {Scope{Namespaces: []string{"team-a"}, AllowOrphans: []string{"Machine/team-a/lost", "PondCluster/heron"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := FromObjects(objs, kindsOf(objs), c.scope)
			if len(c.want) == 0 {
				if err != nil {
					t.Fatal(err)
				}
				sound(t, p)
				return
			}
			if err == nil {
				t.Fatalf("no error, want %q", c.want)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q doesn't say %q", err, w)
				}
			}
		})
	}
}

// TestSecretsByExactName keeps clusters apart whose names begin alike.
func TestSecretsByExactName(t *testing.T) {
	objs := read(t, "prefix.yaml")
	p, err := FromObjects(objs, kindsOf(objs), Scope{Clusters: []types.NamespacedName{{Namespace: "team-a", Name: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "prefix.golden", text(p))
}

// sound checks what every plan has to fulfil.
func sound(t *testing.T, p *Plan) {
	t.Helper()
	seen := map[Key]bool{}
	for i, o := range p.Objects {
		if seen[o.Key] {
			t.Errorf("%s is twice in the plan", o.Key)
		}
		seen[o.Key] = true
		if i > 0 && o.Level < p.Objects[i-1].Level {
			t.Errorf("%s comes after a higher level", o.Key)
		}
		refs := o.Source.GetOwnerReferences()
		if len(o.Owners) != len(refs) {
			t.Errorf("%s: %d owners, %d references", o.Key, len(o.Owners), len(refs))
			continue
		}
		late := map[int]bool{}
		for _, l := range o.Late {
			late[l] = true
		}
		for n, at := range o.Owners {
			switch {
			case at < 0:
			case p.Objects[at].Name != refs[n].Name:
				t.Errorf("%s: owner %d is %s, want %s", o.Key, n, p.Objects[at].Key, refs[n].Name)
			case p.Objects[at].Level >= o.Level && !late[n]:
				t.Errorf("%s is on level %d, its owner %s on %d", o.Key, o.Level, p.Objects[at].Key, p.Objects[at].Level)
			}
		}
	}
}

func text(p *Plan) string {
	var b strings.Builder
	for _, o := range p.Objects {
		paused := ""
		if o.PausedByCluster {
			paused = " paused by its cluster"
		}
		fmt.Fprintf(&b, "%d %s %s (%s): %s%s\n", o.Level, o.Mode, o.Key, o.Version, o.Why, paused)
	}
	for _, l := range p.Left {
		fmt.Fprintf(&b, "stays %s: %s\n", l.Key, l.Why)
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", name, d)
	}
}

func read(t *testing.T, name string) []*unstructured.Unstructured {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []*unstructured.Unstructured
	for d := utilyaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); err != nil {
			break
		}
		if u.Object == nil {
			continue
		}
		u.SetUID(types.UID(u.GetKind() + "/" + u.GetNamespace() + "/" + u.GetName()))
		out = append(out, u)
	}
	return out
}

// kindsOf makes kinds of whatever the objects are; cluster-scoped ones are known by having no namespace.
func kindsOf(objs []*unstructured.Unstructured) Kinds {
	out := Kinds{}
	for _, u := range objs {
		gvk := u.GroupVersionKind()
		if gvk.Group == "" {
			continue
		}
		k := Kind{GroupVersionKind: gvk, Plural: strings.ToLower(gvk.Kind) + "s", Namespaced: u.GetNamespace() != "", Status: true, CRD: strings.ToLower(gvk.Kind) + "s." + gvk.Group}
		_, k.Hierarchy = u.GetAnnotations()["test/kind-hierarchy"]
		out[gvk.GroupKind()] = k
	}
	for _, more := range []string{"MachineSet"} { // known, though there is none
		gk := schema.GroupKind{Group: "cluster.x-k8s.io", Kind: more}
		if _, ok := out[gk]; !ok {
			out[gk] = Kind{GroupVersionKind: gk.WithVersion("v1beta2"), Plural: strings.ToLower(more) + "s", Namespaced: true, CRD: "x"}
		}
	}
	return out
}
