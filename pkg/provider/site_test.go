// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// site is a server that records requests. A client of it reaches it under every host name.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	files map[string]string // path → content; "→ URL" redirects; "!503 …" fails once with that code and is then the rest
}

func newSite(t *testing.T, files map[string]string) *site {
	t.Helper()
	s := &site{files: files}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.EscapedPath())
	body, ok := s.files[r.URL.EscapedPath()]
	switch rest, redirect := strings.CutPrefix(body, "→ "); {
	case !ok:
		http.NotFound(w, r)
	case redirect:
		http.Redirect(w, r, rest, http.StatusFound)
	case strings.HasPrefix(body, "!503 "):
		s.files[r.URL.EscapedPath()] = body[len("!503 "):]
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		_, _ = w.Write([]byte(body))
	}
}

// requests returns what was asked since the last call.
func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

// client sends everything to the server, whatever the host is called.
func (s *site) client() *http.Client {
	target, _ := url.Parse(s.URL)
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = target.Scheme, target.Host
		return http.DefaultTransport.RoundTrip(r)
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
