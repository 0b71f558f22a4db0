// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

const fetchTimeout = 30 * time.Second

// readURL fetches a source. Redirects are followed, but not from https to http.
func (r *reader) readURL(ctx context.Context, address string) error {
	name := shownName(address)
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fault.Usagef("fetch %s: is not a valid URL", name)
	}
	resp, err := r.client().Do(req)
	if err != nil {
		return fetchError(name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fault.WithHint(fault.Usagef("fetch %s: %s (HTTP status %d)", name, statusText(resp.StatusCode), resp.StatusCode), "%s", statusHint(resp.StatusCode))
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return fault.WithHint(fault.Usagef("fetch %s: is a web page, not YAML", name), "use the link to the raw file")
	}
	data, err := limited(resp.Body, r.opts.MaxBytes)
	if err != nil {
		return fetchError(name, err)
	}
	return r.add(name, data)
}

func (r *reader) client() *http.Client {
	if r.opts.Client != nil {
		return r.opts.Client
	}
	return &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= 10:
			return errors.New("too many redirects")
		case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
			return errors.New("redirected from https to http")
		}
		return nil
	}}
}

// shownName is a path or URL as errors may show it: without user, password, query and fragment.
func shownName(path string) string {
	if !isURL(path) {
		return path
	}
	u, err := url.Parse(path)
	if err != nil {
		return "URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// fetchError drops the URL that net/http puts into its errors: it may hold a password.
func fetchError(name string, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Usagef("fetch %s: no answer within %s", name, fetchTimeout)
	}
	return fault.WithCode(fault.Usage, fmt.Errorf("fetch %s: %w", name, err))
}

func statusText(code int) string {
	switch {
	case code == http.StatusNotFound, code == http.StatusGone:
		return "there is no such file"
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusProxyAuthRequired:
		return "access is denied"
	case code == http.StatusTooManyRequests:
		return "the server asks for fewer requests"
	case code >= 500:
		return "the server has a problem"
	}
	return "the server's answer is not the file"
}

func statusHint(code int) string {
	switch {
	case code == http.StatusTooManyRequests, code >= 500:
		return "try again later"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "download the file with your credentials and give its path"
	}
	return "check the address"
}
