// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// minimal makes the smallest object of a kind that its CRD's schema accepts, as far as a schema tells: rules in CEL
// aren't looked at. Built-in kinds get nothing but a name.
func (c *Client) minimal(ctx context.Context, gvk schema.GroupVersionKind, ns string) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	s, err := c.crdSchema(ctx, gvk)
	if err != nil {
		return nil, err
	}
	if m, ok := smallest(s).(map[string]any); ok {
		u.Object = m
	}
	u.SetGroupVersionKind(gvk)
	delete(u.Object, "status")
	delete(u.Object, "metadata")
	u.SetName(probeName)
	u.SetNamespace(ns)
	return u, nil
}

// crdSchema reads the schema of a custom kind; nil for any other.
func (c *Client) crdSchema(ctx context.Context, gvk schema.GroupVersionKind) (map[string]any, error) {
	if !strings.Contains(gvk.Group, ".") || strings.HasSuffix(gvk.Group, ".k8s.io") && !strings.HasSuffix(gvk.Group, ".x-k8s.io") {
		return nil, nil
	}
	m, err := c.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	u, err := c.Get(ctx, gkCRD.WithVersion("v1"), "", m.Resource.Resource+"."+gvk.Group)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) { // of an aggregated API, or not for us to see
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	versions, _, _ := unstructured.NestedSlice(u.Object, "spec", "versions")
	for _, v := range versions {
		if vm, _ := v.(map[string]any); str(vm["name"]) == gvk.Version {
			s, _, _ := unstructured.NestedMap(vm, "schema", "openAPIV3Schema")
			return s, nil
		}
	}
	return nil, nil
}

// smallest makes the smallest value that a schema accepts.
func smallest(s map[string]any) any {
	if d, ok := s["default"]; ok {
		return d
	}
	if enum, _ := s["enum"].([]any); len(enum) > 0 {
		return enum[0]
	}
	if s["x-kubernetes-int-or-string"] == true {
		return int64(1)
	}
	switch str(s["type"]) {
	case "object":
		return smallestObject(s)
	case "array":
		items, _ := s["items"].(map[string]any)
		out := []any{}
		for range number(s["minItems"], 0) {
			out = append(out, smallest(items))
		}
		return out
	case "string":
		return smallestString(s)
	case "integer", "number":
		n := number(s["minimum"], 1)
		if s["exclusiveMinimum"] == true {
			n++
		}
		return min(n, number(s["maximum"], n))
	case "boolean":
		return false
	}
	return map[string]any{}
}

func smallestObject(s map[string]any) any {
	out := map[string]any{}
	props, _ := s["properties"].(map[string]any)
	for _, name := range required(s) {
		p, _ := props[name].(map[string]any)
		out[name] = smallest(p)
	}
	least := number(s["minProperties"], 0)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if int64(len(out)) >= least {
			return out
		}
		p, _ := props[name].(map[string]any)
		if _, ok := out[name]; !ok && !strings.HasPrefix(strings.ToLower(str(p["description"])), "deprecated") {
			out[name] = smallest(p)
		}
	}
	if extra, _ := s["additionalProperties"].(map[string]any); extra != nil && int64(len(out)) < least {
		out["probe"] = smallest(extra)
	}
	return out
}

// required lists what an object must have, and, where it has a choice, what its first choice needs.
func required(s map[string]any) []string {
	out, _, _ := unstructured.NestedStringSlice(s, "required")
	for _, field := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := s[field].([]any)
		for i, item := range list {
			if m, _ := item.(map[string]any); field == "allOf" || i == 0 {
				more, _, _ := unstructured.NestedStringSlice(m, "required")
				out = append(out, more...)
			}
		}
	}
	return out
}

func smallestString(s map[string]any) string {
	formats := map[string]string{
		"date-time": "2006-01-02T15:04:05Z", "date": "2006-01-02", "duration": "1m", "byte": "cHJvYmU=", "uuid": "00000000-0000-4000-8000-000000000000",
		"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "cidr": "192.0.2.0/24", "uri": "https://probe.invalid", "email": "probe@probe.invalid", "hostname": "probe.invalid",
	}
	if v, ok := formats[str(s["format"])]; ok {
		return v
	}
	candidates := []string{
		"probe", "Probe", "v1.0.0", "1.0.0", "1", "1m", "1Gi", "10%", "192.0.2.1", "192.0.2.0/24", "2001:db8::1", "probe.invalid",
		"https://probe.invalid", "probe.invalid/probe", "probe/v1", "PROBE", "00:00:5e:00:53:01", "cHJvYmU=", "/probe",
	}
	least := int(number(s["minLength"], 0))
	pattern, err := regexp.Compile(str(s["pattern"]))
	for _, v := range candidates {
		if len(v) < least {
			v += strings.Repeat(v[len(v)-1:], least-len(v))
		}
		if err == nil && pattern.MatchString(v) && int64(len(v)) <= number(s["maxLength"], int64(len(v))) {
			return v
		}
	}
	return candidates[0]
}

func number(v any, def int64) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return def
}
