// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// world is what a management cluster holds. In its text the first document lists kinds, one a line: "group/version Kind", and what is
// particular about it: "cluster" for cluster-scoped, "move" or "hierarchy" for the labels of its definition, "home=NAMESPACE". Objects have
// "owners: [Kind/name]" in place of ownerReferences with UIDs.
type world struct {
	kinds Kinds
	objs  []*unstructured.Unstructured
}

func readWorld(t testing.TB, text string) world {
	t.Helper()
	docs := strings.Split(text, "\n---\n")
	w := world{kinds: readKinds(t, docs[0])}
	for _, doc := range docs[1:] {
		var m map[string]any
		if err := yaml.Unmarshal([]byte(doc), &m); err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
		if len(m) > 0 {
			w.objs = append(w.objs, &unstructured.Unstructured{Object: m})
		}
	}
	w.own(t)
	return w
}

func readKinds(t testing.TB, text string) Kinds {
	t.Helper()
	kinds := Kinds{}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		gv, err := schema.ParseGroupVersion(words[0])
		if err != nil || len(words) < 2 {
			t.Fatalf("malformed kind %q", line)
		}
		k := Kind{GroupVersionKind: gv.WithKind(words[1]), Plural: strings.ToLower(words[1]) + "s", Namespaced: true, Status: true}
		k.CRD = k.Plural + "." + k.Group
		for _, w := range words[2:] {
			home, isHome := strings.CutPrefix(w, "home=")
			switch {
			case w == "cluster":
				k.Namespaced = false
			case w == "move":
				k.Labelled = true
			case w == "hierarchy":
				k.Hierarchy = true
			case isHome:
				k.Home = home
			default:
				t.Fatalf("malformed kind %q", line)
			}
		}
		kinds[k.GroupKind()] = k
	}
	return kinds
}

// own gives every object a UID and turns owners into references.
func (w world) own(t testing.TB) {
	t.Helper()
	byName := map[string]*unstructured.Unstructured{}
	for _, u := range w.objs {
		if u.GetUID() == "" {
			u.SetUID(types.UID(fmt.Sprintf("uid-%s-%s-%s", u.GetKind(), u.GetNamespace(), u.GetName())))
		}
		byName[u.GetNamespace()+"/"+u.GetKind()+"/"+u.GetName()] = u
	}
	for _, u := range w.objs {
		owners, _, _ := unstructured.NestedStringSlice(u.Object, "owners")
		delete(u.Object, "owners")
		refs := u.GetOwnerReferences()
		for _, name := range owners {
			o := byName[u.GetNamespace()+"/"+name]
			if o == nil {
				o = byName["/"+name]
			}
			if o == nil {
				t.Fatalf("%s %s: no owner %s", u.GetKind(), u.GetName(), name)
			}
			refs = append(refs, metav1.OwnerReference{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Name: o.GetName(), UID: o.GetUID()})
		}
		if len(refs) > 0 {
			u.SetOwnerReferences(refs)
		}
	}
}

// show writes a plan down, or the error that took its place.
func show(p *Plan, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "exit code %d\n%v\n", fault.CodeOf(err), err)
		for _, h := range fault.Hints(err) {
			fmt.Fprintf(&b, "hint: %s\n", h)
		}
		return b.String()
	}
	for _, o := range p.Objects {
		fmt.Fprintf(&b, "%d %s %s: %s", o.Level, o.Mode, o.Key, o.Why)
		var more []string
		if o.Cluster.Name != "" {
			more = append(more, "of "+o.Cluster.Name)
		}
		if o.PausedByCluster {
			more = append(more, "held by it")
		}
		if len(o.Owners) > 0 {
			more = append(more, "owners "+strings.Trim(fmt.Sprint(owners(p, o)), "[]"))
		}
		if len(o.Late) > 0 {
			more = append(more, fmt.Sprintf("late %v", o.Late))
		}
		for _, r := range o.Outside {
			more = append(more, "without "+r.Kind+" "+r.Name)
		}
		if o.LosesOwners {
			more = append(more, "loses its owners")
		}
		if o.Deleting {
			more = append(more, "being deleted")
		}
		if len(more) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(more, ", "))
		}
		b.WriteByte('\n')
	}
	for _, l := range p.Left {
		lost := ""
		if l.Lost {
			lost = " LOST"
		}
		fmt.Fprintf(&b, "left%s %s: %s\n", lost, l.Key, l.Why)
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, c := range p.Remaining {
		fmt.Fprintf(&b, "remaining: %s\n", c)
	}
	return b.String()
}

func owners(p *Plan, o *Object) (names []string) {
	for _, at := range o.Owners {
		if at >= 0 {
			names = append(names, p.Objects[at].Kind+"/"+p.Objects[at].Name)
		}
	}
	return names
}

func plannedAs(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "worlds", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s isn't there; -update writes it", path)
	} else if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "worlds", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func clusters(names ...string) (out []types.NamespacedName) {
	for _, n := range names {
		ns, name, _ := strings.Cut(n, "/")
		out = append(out, types.NamespacedName{Namespace: ns, Name: name})
	}
	return out
}
