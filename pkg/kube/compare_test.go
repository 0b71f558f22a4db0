// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestIsApplied(t *testing.T) {
	t.Parallel()
	const deployment = "{apiVersion: apps/v1, kind: Deployment, spec: "
	tests := map[string]struct {
		want, live string
		same       bool
	}{
		"equal":                      {"{a: 1, b: [x, y]}", "{a: 1, b: [x, y]}", true},
		"defaults added":             {"{a: {b: 1}}", "{a: {b: 1, c: 2}, d: 3}", true},
		"value differs":              {"{a: x}", "{a: y}", false},
		"value missing":              {"{a: x}", "{}", false},
		"empty map left out":         {"{a: {}}", "{}", true},
		"empty map, something there": {"{a: {}}", "{a: {b: 1}}", true},
		"empty list left out":        {"{a: []}", "{}", true},
		"empty list, something":      {"{a: []}", "{a: [1]}", false},
		"null":                       {"{a: null}", "{}", true},
		"empty text left out":        {"{env: [{name: A, value: ''}]}", "{env: [{name: A}]}", true},
		"false left out":             {"{a: false}", "{}", true},
		"false, but true":            {"{a: false}", "{a: true}", false},
		"map, but text":              {"{a: {b: 1}}", "{a: b}", false},
		"whole number as float":      {"{a: 1}", "{a: 1.0}", true},
		"number, but text":           {"{a: 1}", "{a: '1'}", false},
		"text, but number":           {"{a: '1'}", "{a: 1}", false},
		"quantities":                 {"{limits: {cpu: '0.5', memory: 1024Mi}}", "{limits: {cpu: 500m, memory: 1Gi}}", true},
		"quantity as number":         {"{limits: {cpu: 2}}", "{limits: {cpu: '2'}}", true},
		"quantities differ":          {"{limits: {cpu: '0.5'}}", "{limits: {cpu: 600m}}", false},
		"text that looks like one":   {"{env: '0.5'}", "{env: 500m}", false},
		"list shorter":               {"{a: [1, 2]}", "{a: [1]}", false},
		"list longer":                {"{a: [1]}", "{a: [1, 2]}", false},
		"named element added":        {"{c: [{name: b, x: 1}]}", "{c: [{name: a}, {name: b, x: 1, y: 2}]}", true},
		"named element changed":      {"{c: [{name: b, x: 1}]}", "{c: [{name: a}, {name: b, x: 2}]}", false},
		"status isn't compared":      {"{a: 1}, status: {x: 1}", "{a: 1}, status: {x: 2}", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := object(t, deployment+tc.want+"}")
			setHash(want)
			live := object(t, deployment+tc.live+"}")
			if isApplied(want, live) {
				t.Error("applied without the annotation")
			}
			live.SetAnnotations(want.GetAnnotations())
			if got := isApplied(want, live); got != tc.same {
				t.Errorf("applied = %v, want %v", got, tc.same)
			}
		})
	}
}

func TestSecretText(t *testing.T) {
	t.Parallel()
	want := object(t, "{apiVersion: v1, kind: Secret, stringData: {a: hunter2}, data: {b: Yg==}}")
	setHash(want)
	live := object(t, "{apiVersion: v1, kind: Secret, data: {a: aHVudGVyMg==, b: Yg==}}")
	live.SetAnnotations(want.GetAnnotations())
	if !isApplied(want, live) {
		t.Error("same content isn't recognised")
	}
	live.Object["data"].(map[string]any)["a"] = "eA=="
	if isApplied(want, live) {
		t.Error("other content isn't recognised")
	}
}

func TestSmallest(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ schema, want string }{
		"required only":  {"{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}", "{a: probe}"},
		"enum, default":  {"{type: object, required: [a, b], properties: {a: {type: string, enum: [x, y]}, b: {type: string, default: z}}}", "{a: x, b: z}"},
		"numbers":        {"{type: object, required: [a, b], properties: {a: {type: integer, minimum: 3}, b: {type: number, maximum: 0}}}", "{a: 3, b: 0}"},
		"list":           {"{type: object, required: [a], properties: {a: {type: array, minItems: 2, items: {type: boolean}}}}", "{a: [false, false]}"},
		"pattern":        {"{type: object, required: [a], properties: {a: {type: string, pattern: '^v[0-9]+\\.[0-9]+\\.[0-9]+$'}}}", "{a: v1.0.0}"},
		"length":         {"{type: object, required: [a], properties: {a: {type: string, minLength: 7}}}", "{a: probeee}"},
		"format":         {"{type: object, required: [a], properties: {a: {type: string, format: date-time}}}", "{a: '2006-01-02T15:04:05Z'}"},
		"int or string":  {"{type: object, required: [a], properties: {a: {x-kubernetes-int-or-string: true}}}", "{a: 1}"},
		"at least one":   {"{type: object, minProperties: 1, properties: {a: {type: string, description: 'Deprecated: no'}, b: {type: string}}}", "{b: probe}"},
		"free keys":      {"{type: object, minProperties: 1, additionalProperties: {type: string}}", "{probe: probe}"},
		"one of several": {"{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [b]}, {required: [a]}]}", "{b: probe}"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want map[string]any
			if err := yaml.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}
			got := smallest(object(t, tc.schema).Object)
			a, _ := yaml.Marshal(got)
			b, _ := yaml.Marshal(want)
			if string(a) != string(b) {
				t.Errorf("got %swant %s", a, b)
			}
		})
	}
}

func TestVerbOf(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ method, url, contentType string }{
		"discovery":        {"GET", "/apis", ""},
		"get":              {"GET", "/api/v1/namespaces/default/configmaps/a", ""},
		"list":             {"GET", "/apis/apps/v1/deployments?limit=500", ""},
		"watch":            {"GET", "/apis/apps/v1/deployments?watch=true", ""},
		"create":           {"POST", "/api/v1/namespaces", ""},
		"update":           {"PUT", "/api/v1/namespaces/a/finalize", ""},
		"patch":            {"PATCH", "/api/v1/namespaces/a", "application/merge-patch+json"},
		"apply":            {"PATCH", "/api/v1/namespaces/a", "application/apply-patch+yaml"},
		"delete":           {"DELETE", "/api/v1/namespaces/a", ""},
		"deletecollection": {"DELETE", "/api/v1/namespaces/a/pods", ""},
		"other":            {"GET", "/version", ""},
	}
	for want, tc := range tests {
		if got := verbOf(request(t, tc.method, tc.url, tc.contentType)); got != want {
			t.Errorf("%s %s is %s, want %s", tc.method, tc.url, got, want)
		}
	}
	for _, url := range []string{"/api", "/api/v1", "/apis/apps", "/apis/apps/v1"} {
		if got := verbOf(request(t, "GET", url, "")); got != "discovery" {
			t.Errorf("%s is %s", url, got)
		}
	}
	if got := verbOf(request(t, "GET", "/api/v1/namespaces/a", "")); got != "get" {
		t.Errorf("a namespace is %s", got)
	}
}

func request(t *testing.T, method, url, contentType string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "https://server"+url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	return r
}
