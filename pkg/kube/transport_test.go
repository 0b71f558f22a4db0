// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"net/http"
	"testing"
)

type answer func(*http.Request) *http.Response

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) { return a(r), nil }

// Warnings are for people who can do something about them: not about dry runs, nor about what only looks for an answer.
func TestWhichWarningsAreHeard(t *testing.T) {
	t.Parallel()
	transport := NewCounter().wrap(answer(func(*http.Request) *http.Response {
		return &http.Response{Header: http.Header{"Warning": {`299 - "old"`}}}
	}))
	for name, tc := range map[string]struct {
		ctx   context.Context //nolint:containedctx // it is what differs
		query string
		heard bool
	}{
		"any request": {t.Context(), "", true},
		"a dry run":   {t.Context(), "?dryRun=All", false},
		"quietly":     {quietly(t.Context()), "?limit=1", false},
	} {
		r, err := http.NewRequestWithContext(tc.ctx, http.MethodGet, "https://x/apis/g/v1/things"+tc.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(r) //nolint:bodyclose // there is no body
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Warning") != ""; got != tc.heard {
			t.Errorf("%s: heard %v, want %v", name, got, tc.heard)
		}
	}
}
