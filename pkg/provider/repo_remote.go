// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// remoteRepository is a server that hands out files under addresses with the version in them.
type remoteRepository struct {
	label   string
	url     *url.URL
	before  []string // path in front of the version, escaped
	version string
	after   []string // path between version and file, escaped
	file    string
	github  bool

	fetch  *fetcher
	cache  cache
	latest *memo
}

// memo remembers where "latest" leads, because several providers come from one release.
type memo struct {
	mu       sync.Mutex
	versions map[string]string
}

// parseRemote takes a URL apart: https://host/path/<version>/<file>, or one of GitHub's forms for releases.
func parseRemote(e Entry) (*remoteRepository, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, fmt.Errorf("not a valid URL")
	}
	r := &remoteRepository{label: e.Label(), url: u, github: u.Hostname() == "github.com" || strings.HasPrefix(u.Hostname(), "github.")}
	parts := segments(u)
	if r.github {
		parts, err = githubParts(parts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown(u), err)
		}
	}
	i := versionIndex(parts)
	if i < 0 || i == len(parts)-1 || parts[len(parts)-1] == "" {
		return nil, fmt.Errorf("%s: the url has no version in it: it ends in <version>/<components file>, the version like v1.2.3 or latest", shown(u))
	}
	last := len(parts) - 1
	r.before, r.version, r.after, r.file = parts[:i], parts[i], parts[i+1:last], parts[last]
	return r, nil
}

// githubParts brings the forms of a release's address to /<org>/<repo>/releases/download/<version>/<file>.
func githubParts(parts []string) ([]string, error) {
	if len(parts) < 5 || parts[2] != "releases" {
		return nil, fmt.Errorf("a GitHub url has the form https://github.com/<org>/<repo>/releases/<version or latest>/<components file>")
	}
	rest := parts[3:]
	switch {
	case rest[0] == "download":
		rest = rest[1:]
	case rest[0] == Latest && len(rest) > 2 && rest[1] == "download":
		rest = slices.Concat([]string{Latest}, rest[2:])
	}
	return slices.Concat(parts[:3], []string{"download"}, rest), nil
}

// segments splits the escaped path, so that an escaped slash stays one.
func segments(u *url.URL) []string {
	return strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
}

// versionIndex finds the last segment that is a version or "latest"; -1 for none.
func versionIndex(parts []string) int {
	for i, p := range slices.Backward(parts) {
		if p == Latest || isVersion(p) {
			return i
		}
	}
	return -1
}

func (r *remoteRepository) DefaultVersion() string { return r.version }

func (r *remoteRepository) ComponentsFile() string { return r.file }

func (r *remoteRepository) Versions() []string { return nil }

func (r *remoteRepository) Files(string) []string { return nil }

func (r *remoteRepository) Where(version, name string) string {
	return shownString(r.address(version, name))
}

func (r *remoteRepository) address(version, name string) string {
	path := strings.Join(slices.Concat(r.before, []string{version}, r.after, []string{name}), "/")
	u := *r.url
	u.RawPath = "/" + path
	u.Path, _ = url.PathUnescape(u.RawPath)
	return u.String()
}

// Latest asks where the address of the newest release leads: one request, no list, no API.
func (r *remoteRepository) Latest(ctx context.Context) (string, error) {
	ask := r.address(Latest, r.file)
	if r.github {
		u := *r.url
		u.Path, u.RawPath, u.RawQuery = "/"+strings.Join(append(slices.Clone(r.before[:3]), Latest), "/"), "", ""
		ask = u.String()
	}
	r.latest.mu.Lock()
	defer r.latest.mu.Unlock()
	if v, ok := r.latest.versions[ask]; ok {
		return v, nil
	}
	v, err := r.fetch.redirectedVersion(ctx, ask)
	switch {
	case err != nil:
		err = fmt.Errorf("find the newest version of %s: %w", r.label, err)
		if known := r.cache.versions(r.source(), r.label); len(known) > 0 {
			return "", fault.WithHint(err, "%s can be used without asking: they are in the cache", strings.Join(known, ", "))
		}
		return "", err
	case v == "":
		return "", fault.WithHint(fmt.Errorf("find the newest version of %s: %s doesn't lead to a release", r.label, shownString(ask)),
			"name the version, for example %s:v1.2.3", r.label)
	}
	if r.latest.versions == nil {
		r.latest.versions = map[string]string{}
	}
	r.latest.versions[ask] = v
	return v, nil
}

// source tells repositories with equal labels apart in the cache.
func (r *remoteRepository) source() string { return r.address("", "") }

// File takes the file from the cache, else from the server. Files of a release don't change, so the cache is never too old.
func (r *remoteRepository) File(ctx context.Context, version, name string) (manifest.Source, error) {
	src := manifest.Source{Name: r.label + "/" + version + "/" + name}
	key := r.cache.path(r.source(), r.label, version, name)
	if data, ok := r.cache.load(key); ok {
		src.Data = data
		return src, nil
	}
	data, err := r.fetch.get(ctx, r.address(version, url.PathEscape(name)))
	if isNotFound(err) {
		return manifest.Source{}, notFound(r.label, version, name, r.Where(version, name))
	}
	if err != nil {
		return manifest.Source{}, fmt.Errorf("get %s of %s %s: %w", name, r.label, version, err)
	}
	r.cache.store(key, data)
	src.Data = data
	return src, nil
}

// authorize adds the token for a GitLab package registry, where one is set. It is sent only encrypted.
func (c *Config) authorize(req *http.Request) {
	if req.URL.Scheme != "https" || !strings.HasPrefix(req.URL.EscapedPath(), "/api/v4/projects/") {
		return
	}
	if token, ok := c.Lookup(nil)("GITLAB_ACCESS_TOKEN"); ok && token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
}
