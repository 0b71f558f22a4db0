// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

func TestListPages(t *testing.T) {
	t.Parallel()
	const count = 1200
	var docs strings.Builder
	docs.WriteString("apiVersion: v1\nkind: Namespace\nmetadata: {name: pages}\n")
	for i := range count {
		fmt.Fprintf(&docs, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: pages, labels: {odd: %q}}\ndata: {n: %q}\n", i, fmt.Sprint(i%2), fmt.Sprint(i))
	}
	c := connect(t, env.REST)
	r, err := c.Apply(t.Context(), parse(t, docs.String()), kube.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary() != "1201 created" {
		t.Errorf("summary = %q", r.Summary())
	}
	tests := map[string]struct {
		opts  kube.ListOptions
		lists int
		count int
		data  bool
	}{
		"all":           {kube.ListOptions{Namespace: "pages"}, 3, count, true},
		"metadata only": {kube.ListOptions{Namespace: "pages", MetadataOnly: true}, 3, count, false},
		"by label":      {kube.ListOptions{Namespace: "pages", LabelSelector: "odd=1"}, 2, count / 2, true},
		"by field":      {kube.ListOptions{Namespace: "pages", FieldSelector: "metadata.name=c7"}, 1, 1, true},
	}
	for name, tc := range tests {
		before := c.Requests()
		list, err := c.List(t.Context(), configMaps, tc.opts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if sent := c.Requests().Sub(before); len(list) != tc.count || sent.Total != tc.lists || sent.ByVerb["list"] != tc.lists {
			t.Errorf("%s: %d objects, requests %s; want %d objects, %d requests", name, len(list), sent, tc.count, tc.lists)
		}
		if u := list[0]; u.GetKind() != "ConfigMap" || u.GetAPIVersion() != "v1" || u.GetUID() == "" || (u.Object["data"] != nil) != tc.data {
			t.Errorf("%s: first object = %v", name, u.Object)
		}
	}

	var expired atomic.Int32
	cfg := rest.CopyConfig(env.REST)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("continue") != "" && expired.Add(1) == 2 { // the third page is too late
				return answer(r, http.StatusGone, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old"}`), nil
			}
			return next.RoundTrip(r)
		})
	})
	list, err := connect(t, cfg).List(t.Context(), configMaps, kube.ListOptions{Namespace: "pages"})
	if err != nil || len(list) != count {
		t.Errorf("after an expired page: %d objects, %v", len(list), err)
	}
}

// roundTripper puts faults between a real client and a real server.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(r *http.Request, code int, body string) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}
