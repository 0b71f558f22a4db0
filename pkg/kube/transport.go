// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/util/flowcontrol"
)

// Counts are the requests that a Client sent, every attempt counted.
type Counts struct {
	// Total is all of them.
	Total int
	// ByVerb has get, list, create, update, patch, apply, delete, deletecollection, watch and discovery; other paths are "other".
	ByVerb map[string]int
	// DryRun is how many of them asked the server to store nothing.
	DryRun int
}

// Writes is how many requests were to change something.
func (c Counts) Writes() int {
	n := -c.DryRun
	for _, verb := range []string{"create", "update", "patch", "apply", "delete", "deletecollection"} {
		n += c.ByVerb[verb]
	}
	return n
}

// String lists the verbs by name: "12 (2 discovery, 10 get)".
func (c Counts) String() string {
	var parts []string
	for _, verb := range slices.Sorted(maps.Keys(c.ByVerb)) {
		parts = append(parts, fmt.Sprintf("%d %s", c.ByVerb[verb], verb))
	}
	return fmt.Sprintf("%d (%s)", c.Total, strings.Join(parts, ", "))
}

// Sub returns what was sent since an earlier count.
func (c Counts) Sub(earlier Counts) Counts {
	out := Counts{Total: c.Total - earlier.Total, DryRun: c.DryRun - earlier.DryRun, ByVerb: map[string]int{}}
	for verb, n := range c.ByVerb {
		if d := n - earlier.ByVerb[verb]; d != 0 {
			out.ByVerb[verb] = d
		}
	}
	return out
}

// Requests returns what was sent so far, by all connections with the same Options.Counter.
func (c *Client) Requests() Counts {
	return c.counter.Counts()
}

// Counter counts requests at the innermost place, so that client-go's own retries are seen. It is safe for concurrent use.
type Counter struct {
	mu     sync.Mutex
	counts Counts
}

// NewCounter starts at nothing. Several connections count into one where it is given to them as Options.Counter.
func NewCounter() *Counter { return &Counter{counts: Counts{ByVerb: map[string]int{}}} }

// Counts returns what was sent so far.
func (c *Counter) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.counts
	out.ByVerb = maps.Clone(out.ByVerb)
	return out
}

func (c *Counter) wrap(next http.RoundTripper) http.RoundTripper {
	return &countingTransport{counter: c, next: next}
}

type countingTransport struct {
	counter *Counter
	next    http.RoundTripper
}

// quietKey marks requests whose warnings nobody can act on.
type quietKey struct{}

// quietly is for requests that only find out whether something answers.
func quietly(ctx context.Context) context.Context { return context.WithValue(ctx, quietKey{}, true) }

// RoundTrip counts and passes on. It drops the warnings of dry runs: they are about objects that may be incomplete
// (probes) or early (a Cluster before its class), and what is really written is warned about again. It drops those of
// requests made quietly, too.
func (t *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	dryRun := r.URL.Query().Has("dryRun")
	t.counter.mu.Lock()
	t.counter.counts.Total++
	t.counter.counts.ByVerb[verbOf(r)]++
	if dryRun {
		t.counter.counts.DryRun++
	}
	t.counter.mu.Unlock()
	resp, err := t.next.RoundTrip(r)
	if err == nil && (dryRun || r.Context().Value(quietKey{}) != nil) {
		resp.Header.Del("Warning")
	}
	return resp, err
}

// WrappedRoundTripper lets client-go find the transport to close its idle connections.
func (t *countingTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// verbOf names a request the way that Kubernetes' own logs and rights do.
func verbOf(r *http.Request) string {
	resource, named := splitPath(r.URL.Path)
	switch {
	case resource == "" && (strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/apis")):
		return "discovery"
	case r.URL.Path == "/api":
		return "discovery"
	case resource == "":
		return "other"
	}
	switch r.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/apply-patch") {
			return "apply"
		}
		return "patch"
	case http.MethodDelete:
		return either(named, "delete", "deletecollection")
	}
	if r.URL.Query().Get("watch") == "true" {
		return "watch"
	}
	return either(named, "get", "list")
}

// splitPath finds the resource in an API path, and whether one object of it is named.
func splitPath(path string) (resource string, named bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default:
		return "", false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	return parts[0], len(parts) > 1
}

func either(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func newLimiter(qps float32, burst int) flowcontrol.RateLimiter {
	if qps < 0 {
		return flowcontrol.NewFakeAlwaysRateLimiter()
	}
	return flowcontrol.NewTokenBucketRateLimiter(qps, burst)
}
