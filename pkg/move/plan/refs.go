// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
)

// reference is where an object names another one.
type reference struct {
	field string
	key   Key
}

// lastField is the name of the field at the end of a path.
func lastField(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// reader finds references.
type reader struct {
	kinds  Kinds
	rules  *ruleBook
	byKind map[string][]Kind
	// annotations are those that name an object.
	annotations map[string]schema.GroupKind
	steps       *int
}

func newReader(kinds Kinds, steps *int) *reader {
	r := &reader{kinds: kinds, rules: newRuleBook(), byKind: map[string][]Kind{}, annotations: annotationRules(), steps: steps}
	for _, k := range kinds {
		if k.movable() {
			r.byKind[k.GroupKind().Kind] = append(r.byKind[k.GroupKind().Kind], k)
		}
	}
	return r
}

// refs are the references in an object's spec and annotations, sorted, each once; a key may belong to no object.
func (r *reader) refs(k Kind, u *unstructured.Unstructured) []reference {
	if k.CRD == "" && k.Group == "" {
		return nil // Secrets and ConfigMaps refer to nothing
	}
	w := &walker{reader: r, u: u, kind: k}
	if k.GroupKind() == capi.ClusterGK() { // a Cluster's class is written in several ways
		for _, ref := range capi.Refs(u) {
			w.add(ref.Field, ref.GroupKind(), ref.Namespace, ref.Name)
		}
	}
	if spec, ok := u.Object["spec"].(map[string]any); ok {
		w.fields(&frame{name: "spec"}, spec)
	}
	annotations, _ := field(u.Object, "metadata", "annotations").(map[string]any)
	for name, v := range annotations {
		if to, ok := r.annotations[name]; ok {
			w.named("annotation "+name, to, str(v))
		}
	}
	slices.SortFunc(w.out, func(a, b reference) int { return cmp.Or(order(a.key, b.key), cmp.Compare(a.field, b.field)) })
	return slices.CompactFunc(w.out, func(a, b reference) bool { return a.key == b.key })
}

// frame is where in an object the walker is; its text is only made where something is found.
type frame struct {
	above *frame
	name  string
}

func (f *frame) String() string {
	if f.above == nil {
		return f.name
	}
	return f.above.String() + "." + f.name
}

type walker struct {
	*reader
	u    *unstructured.Unstructured
	kind Kind
	out  []reference
}

func (w *walker) fields(at *frame, m map[string]any) {
	for name, v := range m {
		w.value(&frame{at, name}, v)
	}
}

func (w *walker) value(at *frame, v any) {
	*w.steps++
	switch v := v.(type) {
	case map[string]any:
		w.object(at, v)
		w.fields(at, v)
	case []any:
		for _, item := range v {
			w.value(at, item)
		}
	case string:
		for _, r := range w.rules.of(at.name) {
			if v == "" || r.form&asText == 0 || !r.holds(w.kind.Group, w.kind.Kind) {
				continue
			}
			if r.form&extension != 0 {
				_, v, _ = strings.Cut(v, ".")
			}
			w.named(at.String(), r.to, v)
		}
	}
}

// object looks whether a map is a reference: by kind and name, or by name in a field that says the rest.
func (w *walker) object(at *frame, m map[string]any) {
	name := str(m["name"])
	if name == "" {
		return
	}
	ns, kind := str(m["namespace"]), str(m["kind"])
	if kind == "" {
		for _, r := range w.rules.of(at.name) {
			if r.form&asMap != 0 && r.holds(w.kind.Group, w.kind.Kind) {
				w.add(at.String(), r.to, ns, name)
			}
		}
		return
	}
	group := str(m["apiGroup"])
	if version := str(m["apiVersion"]); group == "" && version != "" {
		gv, err := schema.ParseGroupVersion(version)
		if err != nil {
			return
		}
		w.add(at.String(), schema.GroupKind{Group: gv.Group, Kind: kind}, ns, name)
		return
	}
	if group != "" {
		w.add(at.String(), schema.GroupKind{Group: group, Kind: kind}, ns, name)
		return
	}
	for _, k := range w.ungrouped(kind) {
		w.add(at.String(), k.GroupKind(), ns, name)
	}
}

// ungrouped are the kinds that a reference without a group can mean: the one of the same group, else Secrets and ConfigMaps and
// Cluster API's, else any.
func (w *walker) ungrouped(kind string) []Kind {
	all := w.byKind[kind]
	for _, fits := range []func(Kind) bool{
		func(k Kind) bool { return k.Group == w.kind.Group },
		func(k Kind) bool { return k.CRD == "" || k.CAPI() },
	} {
		var out []Kind
		for _, k := range all {
			if fits(k) {
				out = append(out, k)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return all
}

// named adds a reference that is written "name" or "namespace/name".
func (w *walker) named(field string, to schema.GroupKind, text string) {
	ns, name, ok := strings.Cut(text, "/")
	if !ok {
		ns, name = "", text
	}
	if name != "" {
		w.add(field, to, ns, name)
	}
}

func (w *walker) add(field string, gk schema.GroupKind, ns, name string) {
	k, known := w.kinds[gk]
	if !known || !k.movable() {
		return
	}
	if ns == "" {
		ns = w.u.GetNamespace()
	}
	switch {
	case !k.Namespaced:
		ns = ""
	case ns == "":
		ns = w.kind.Home // where that isn't known the key stays without a namespace
	}
	w.out = append(w.out, reference{field, Key{gk, ns, name}})
}

// keyFor leaves the namespace out where the kind has none.
func keyFor(kinds Kinds, gk schema.GroupKind, ns, name string) Key {
	if k, ok := kinds[gk]; ok && !k.Namespaced {
		ns = ""
	}
	return Key{gk, ns, name}
}
