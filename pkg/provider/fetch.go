// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

const (
	fetchTimeout  = 60 * time.Second
	fetchAttempts = 3
	fetchPause    = 500 * time.Millisecond
	// fetchLimit is far above the largest known components file (2 MB).
	fetchLimit = 64 << 20
	maxHops    = 6
)

// newHTTPClient honours HTTPS_PROXY and NO_PROXY as net/http does, and never waits for ever.
func newHTTPClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.ResponseHeaderTimeout = 30 * time.Second
	t.IdleConnTimeout = 5 * time.Second // long enough for the files of a release, short enough to leave nothing behind
	return &http.Client{Transport: t}
}

// fetcher gets files from servers.
type fetcher struct {
	client *http.Client
	// authorize adds credentials to a request; nil adds none.
	authorize func(*http.Request)
}

// statusError is an answer that isn't 200.
type statusError struct {
	url  string
	code int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("fetch %s: the server answered %d %s", e.url, e.code, http.StatusText(e.code))
}

func isNotFound(err error) bool {
	var s *statusError
	return errors.As(err, &s) && (s.code == http.StatusNotFound || s.code == http.StatusGone)
}

// get fetches one file. Connection faults and answers 429 and 5xx are tried again, other ones can't heal.
func (f *fetcher) get(ctx context.Context, rawURL string) ([]byte, error) {
	pause := fetchPause
	for attempt := 1; ; attempt++ {
		body, err := f.once(ctx, rawURL)
		if err == nil || attempt == fetchAttempts || !healing(err) || ctx.Err() != nil {
			return body, explain(err)
		}
		select {
		case <-ctx.Done():
			return nil, explain(err)
		case <-time.After(pause):
			pause *= 2
		}
	}
}

func (f *fetcher) once(ctx context.Context, rawURL string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	resp, err := f.send(ctx, f.client, http.MethodGet, rawURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, &statusError{url: shownString(rawURL), code: resp.StatusCode}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, fetchLimit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("fetch %s: %w", shownString(rawURL), err)
	case len(body) > fetchLimit:
		return nil, fmt.Errorf("fetch %s: larger than %d MiB", shownString(rawURL), fetchLimit>>20)
	case looksLikeHTML(body):
		return nil, fault.WithHint(fmt.Errorf("fetch %s: got a web page instead of a file", shownString(rawURL)),
			"the address may be wrong, or a proxy or login page is in between")
	}
	return body, nil
}

func (f *fetcher) send(ctx context.Context, client *http.Client, method, rawURL string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, rawURL, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: not a valid URL", shownString(rawURL))
	}
	req.Header.Set("User-Agent", "clusterctl")
	if f.authorize != nil {
		f.authorize(req)
	}
	resp, err := client.Do(req)
	if err != nil {
		var ue *url.Error // its text repeats the URL, with any token in the query
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("fetch %s: %w", shownString(rawURL), err)
	}
	return resp, nil
}

// redirectedVersion asks where a URL leads, without following, until an address names a version; "" if none does.
func (f *fetcher) redirectedVersion(ctx context.Context, rawURL string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	client := *f.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for range maxHops {
		resp, err := f.send(ctx, &client, http.MethodHead, rawURL)
		if err != nil {
			return "", explain(err)
		}
		_ = resp.Body.Close()
		next, err := resp.Location()
		switch {
		case errors.Is(err, http.ErrNoLocation) && resp.StatusCode >= http.StatusBadRequest:
			return "", explain(&statusError{url: shownString(rawURL), code: resp.StatusCode})
		case errors.Is(err, http.ErrNoLocation):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("fetch %s: where it leads to is not a valid URL", shownString(rawURL))
		}
		if i := versionIndex(segments(next)); i >= 0 && segments(next)[i] != Latest {
			return segments(next)[i], nil
		}
		rawURL = next.String()
	}
	return "", nil
}

func healing(err error) bool {
	var s *statusError
	if errors.As(err, &s) {
		return s.code == http.StatusTooManyRequests || s.code >= http.StatusInternalServerError
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsTemporary
	}
	var op net.Error
	return errors.As(err, &op) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// explain adds what to do next to the faults that people meet behind proxies and without a network.
func explain(err error) error {
	var s *statusError
	if errors.As(err, &s) {
		switch s.code {
		case http.StatusUnauthorized, http.StatusForbidden:
			return fault.WithHint(err, "the server wants credentials; for GitLab set GITLAB_ACCESS_TOKEN")
		case http.StatusTooManyRequests:
			return fault.WithHint(err, "the server limits requests; wait, or use a mirror or a local repository")
		case http.StatusProxyAuthRequired:
			return fault.WithHint(err, "check HTTPS_PROXY")
		}
		return err
	}
	var op net.Error
	if errors.As(err, &op) {
		return fault.WithHint(err, "check the network, HTTPS_PROXY and NO_PROXY; without a network, point the provider's url in clusterctl.yaml to a local folder")
	}
	return err
}

func looksLikeHTML(b []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(b[:min(len(b), 256)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}
