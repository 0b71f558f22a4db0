// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The readers below copy nothing: tens of thousands of objects are read. A field of another type than expected is no field.

func field(m map[string]any, path ...string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(m, path...)
	return v
}

func textAt(u *unstructured.Unstructured, path ...string) string {
	return str(field(u.Object, path...))
}

func items(u *unstructured.Unstructured, path ...string) []map[string]any {
	list, _ := field(u.Object, path...).([]any)
	var out []map[string]any
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

func fromMap(m map[string]any, into any) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
