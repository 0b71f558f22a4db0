// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Parse reads all objects of a source, in order. Documents end where YAML says so; empty ones, those with nothing
// but comments, and null are nothing; a List is replaced by its members. Scalars get the types that kubectl gives them.
//
// Everything that is wrong comes back as one error of class fault.Usage, each fault with file and line: syntax,
// duplicate mapping keys, content that isn't an object, aliases that unfold without measure.
func Parse(src Source) ([]Object, error) {
	text, err := plainText(src)
	if err != nil {
		return nil, err
	}
	var faults fault.List
	var out []Object
	for _, c := range split(text) {
		if c.blank() {
			continue
		}
		values, errs := read(src, c)
		for _, err := range errs {
			faults.Add(err)
		}
		if len(errs) > 0 {
			continue
		}
		for _, v := range values {
			objs, errs := objects(src, v)
			for _, err := range errs {
				faults.Add(err)
			}
			out = append(out, objs...)
		}
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	return out, nil
}

// read turns one document into values: one, or none, or several where JSON values follow each other.
func read(src Source, c chunk) ([]value, []error) {
	if values, faults, ok := jsonValues(src, c); ok {
		return values, faults
	}
	roots, err := nodes(c.text)
	if err != nil {
		return nil, []error{c.syntaxFault(src, err)}
	}
	var out []value
	var faults []error
	for _, root := range roots {
		v, errs := convert(src, c, root)
		out, faults = append(out, v), append(faults, errs...)
	}
	return out, faults
}

// objects turns a value into the object it is, or into the members of the List it is.
func objects(src Source, v value) ([]Object, []error) {
	at := src.origin(v.line)
	if v.content == nil {
		return nil, nil
	}
	content, ok := v.content.(map[string]any)
	if !ok {
		return nil, []error{faultAt(at, "an object begins with apiVersion, kind and metadata", "is not an object but a %s", shape(v.content))}
	}
	items, ok := listItems(content)
	if !ok {
		if err := checkObject(at, content); err != nil {
			return nil, []error{err}
		}
		return []Object{{Unstructured: &unstructured.Unstructured{Object: content}, Origin: at}}, nil
	}
	var out []Object
	var faults []error
	for i, item := range items {
		line := v.line
		if i < len(v.items) {
			line = v.items[i]
		}
		inherit(content, item)
		objs, errs := objects(src, value{content: item, line: line})
		out, faults = append(out, objs...), append(faults, errs...)
	}
	return out, faults
}

// listItems says whether an object is a list of objects, as the API machinery tells it: a kind that ends in List and
// items. A list has no name; a custom object with a name of its own is left alone.
func listItems(content map[string]any) ([]any, bool) {
	kind, _ := content["kind"].(string)
	items, ok := content["items"].([]any)
	if !ok && content["items"] != nil || !strings.HasSuffix(kind, "List") {
		return nil, false
	}
	if _, there := content["items"]; !there {
		return nil, false
	}
	meta, _ := content["metadata"].(map[string]any)
	if name, _ := meta["name"].(string); name != "" {
		return nil, false
	}
	return items, true
}

// inherit gives the members of a typed list (ConfigMapList) the kind that the list implies.
func inherit(list map[string]any, item any) {
	member, ok := item.(map[string]any)
	kind := strings.TrimSuffix(fmt.Sprint(list["kind"]), "List")
	if !ok || kind == "" || member["kind"] != nil || member["apiVersion"] != nil {
		return
	}
	member["kind"], member["apiVersion"] = kind, list["apiVersion"]
}

// shape names a value without showing it.
func shape(v any) string {
	switch v.(type) {
	case []any:
		return "list"
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}
