// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// The verbosities from which requests to API servers are logged.
const (
	levelRequests slog.Level = -4
	levelHeaders  slog.Level = -6
)

// loggedHeaders are those that are worth a line and have no secrets in them.
func loggedHeaders() []string {
	return []string{
		"Accept", "Content-Type", "Content-Length", "User-Agent", "Retry-After", "Warning", "Audit-Id", "Date",
	}
}

// logRequests logs each request that goes through next: method, address, status and time, with -v 6 some headers too.
// Bodies and the Authorization header are never looked at.
func logRequests(log *slog.Logger, next http.RoundTripper) http.RoundTripper {
	if !log.Enabled(context.Background(), levelRequests) {
		return next
	}
	return &requestLog{log: log, next: next}
}

type requestLog struct {
	log  *slog.Logger
	next http.RoundTripper
}

// RoundTrip sends the request and logs how it went.
func (r *requestLog) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	resp, err := r.next.RoundTrip(req)
	attrs := []slog.Attr{
		slog.String("method", req.Method),
		slog.String("url", req.URL.Redacted()),
		slog.Int64("ms", time.Since(began).Milliseconds()),
	}
	switch {
	case err != nil:
		attrs = append(attrs, slog.String("error", err.Error()))
	default:
		attrs = append(attrs, slog.Int("status", resp.StatusCode))
	}
	if r.log.Enabled(req.Context(), levelHeaders) {
		attrs = append(attrs, headers("request", req.Header))
		if resp != nil {
			attrs = append(attrs, headers("response", resp.Header))
		}
	}
	r.log.LogAttrs(req.Context(), levelRequests, "request", attrs...)
	return resp, err
}

// WrappedRoundTripper lets libraries look through, to cancel requests for example.
func (r *requestLog) WrappedRoundTripper() http.RoundTripper { return r.next }

func headers(name string, h http.Header) slog.Attr {
	var shown []any
	for _, key := range loggedHeaders() {
		if values := h.Values(key); len(values) > 0 {
			shown = append(shown, slog.String(key, strings.Join(values, ", ")))
		}
	}
	return slog.Group(name+"Headers", shown...)
}
