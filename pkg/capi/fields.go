// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The readers below treat a field of the wrong type as absent: what the API server stores was
// validated there, and a schema-less CRD must not make a listing fail.

func str(u *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(u.Object, path...)
	return s
}

func boolean(u *unstructured.Unstructured, path ...string) bool {
	b, _, _ := unstructured.NestedBool(u.Object, path...)
	return b
}

func object(u *unstructured.Unstructured, path ...string) map[string]any {
	v, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	m, _ := v.(map[string]any)
	return m
}

func list(u *unstructured.Unstructured, path ...string) []any {
	v, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	l, _ := v.([]any)
	return l
}

// number reads an integer that may have come through JSON (int64, float64) or from a Go literal.
func number(u *unstructured.Unstructured, path ...string) (int64, bool) {
	v, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err != nil || !found {
		return 0, false
	}
	switch n := v.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case int32:
		return int64(n), true
	case float64:
		return int64(n), true
	}
	return 0, false
}

func firstStr(u *unstructured.Unstructured, paths ...[]string) string {
	for _, p := range paths {
		if s := str(u, p...); s != "" {
			return s
		}
	}
	return ""
}

func timeOf(v any) time.Time {
	s, _ := v.(string)
	t, _ := time.Parse(time.RFC3339, s)
	return t
}
