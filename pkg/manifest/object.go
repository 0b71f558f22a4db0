// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// checkObject says what keeps content from being an object that an API server could be asked to hold.
func checkObject(at Origin, content map[string]any) error {
	var missing []string
	for _, field := range []string{"apiVersion", "kind"} {
		switch text, ok := content[field].(string); {
		case content[field] == nil || ok && text == "":
			missing = append(missing, field)
		case !ok:
			return faultAt(at, "put it in quotes", "%s is a %s, not a string", field, shapeOf(content[field]))
		}
	}
	meta, ok := content["metadata"].(map[string]any)
	if content["metadata"] != nil && !ok {
		return faultAt(at, "", "metadata is a %s, not a mapping", shapeOf(content["metadata"]))
	}
	if name, ok := meta["name"].(string); meta["name"] == nil || ok && name == "" {
		missing = append(missing, "metadata.name")
	}
	if len(missing) > 0 {
		return faultAt(at, missingHint(content, meta), "%s has no %s", describe(content), strings.Join(missing, ", no "))
	}
	if _, err := schema.ParseGroupVersion(content["apiVersion"].(string)); err != nil {
		return faultAt(at, "it is a version (v1) or a group and a version (apps/v1)", "apiVersion is malformed")
	}
	return checkMetadata(at, content, meta)
}

func missingHint(content, meta map[string]any) string {
	switch {
	case meta["generateName"] != nil:
		return "metadata.generateName would make another object at each run; give it a metadata.name"
	case content["apiVersion"] == nil && content["kind"] == nil:
		return "is this a file with Kubernetes objects?"
	}
	return ""
}

// describe names an object as well as what is there allows it. Kinds are no secrets.
func describe(content map[string]any) string {
	if kind, ok := content["kind"].(string); ok && kind != "" {
		return "the object of kind " + excerpt(kind, 60)
	}
	return "the document"
}

func shapeOf(v any) string {
	if _, ok := v.(map[string]any); ok {
		return "mapping"
	}
	return shape(v)
}

// checkMetadata holds the types that every part of this program, and every API server, relies on: names are strings,
// labels and annotations are strings by strings.
func checkMetadata(at Origin, content, meta map[string]any) error {
	var faults fault.List
	for _, field := range []string{"name", "namespace"} {
		if v := meta[field]; v != nil {
			if _, ok := v.(string); !ok {
				faults.Add(faultAt(at, "put it in quotes", "%s: metadata.%s is a %s, not a string", describe(content), field, shapeOf(v)))
			}
		}
	}
	for _, field := range []string{"labels", "annotations"} {
		faults.Add(checkStrings(at, content, meta, field))
	}
	return faults.Err()
}

func checkStrings(at Origin, content, meta map[string]any, field string) error {
	if meta[field] == nil {
		return nil
	}
	entries, ok := meta[field].(map[string]any)
	if !ok {
		return faultAt(at, "", "%s: metadata.%s is a %s, not a mapping", describe(content), field, shapeOf(meta[field]))
	}
	var faults fault.List
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		switch v := entries[key].(type) {
		case string:
		case nil:
			entries[key] = "" // as the API server reads it
		default:
			faults.Add(faultAt(at, "put it in quotes", "%s: metadata.%s: the value of %s is a %s, not a string", describe(content), field, excerpt(key, 100), shapeOf(v)))
		}
	}
	return faults.Err()
}

// Check finds objects that are there twice, in one source or in several: same group, kind, namespace and name.
// Each pair is one fault that names both places; the class is fault.Usage.
func Check(objs []Object) error {
	type key struct{ group, kind, namespace, name string }
	first := map[key]Origin{}
	var faults fault.List
	for _, o := range objs {
		gk := o.GroupVersionKind().GroupKind()
		k := key{gk.Group, gk.Kind, o.GetNamespace(), o.GetName()}
		if at, twice := first[k]; twice {
			name := k.name
			if k.namespace != "" {
				name = k.namespace + "/" + name
			}
			faults.Add(faultAt(o.Origin, "remove one of the two", "%s %s is there twice, first at %s", gk, name, at))
			continue
		}
		first[k] = o.Origin
	}
	if err := faults.Err(); err != nil {
		return fault.WithCode(fault.Usage, fmt.Errorf("check objects: %w", err))
	}
	return nil
}
