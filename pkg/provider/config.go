// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// Config is what is known about providers: the built-in list and the user's clusterctl.yaml on top of it.
type Config struct {
	// Path is the file or URL that was read, without any token in it; empty if there was none.
	Path string
	// CertManager says where cert-manager comes from.
	CertManager CertManager
	// OverridesFolder holds files that take the place of a repository's; it need not exist.
	OverridesFolder string

	entries   []Entry
	images    map[string]ImageOverride
	variables map[string]value
	flags     map[string]string
	flagNames map[string]string
	lookupEnv func(string) (string, bool)
	dirs      paths.Dirs
	client    *http.Client
	latest    memo
}

// Entry is one known provider.
type Entry struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
	// URL is that of the components file, variables filled in; local paths are absolute.
	URL string `json:"url"`
	// Source is where the entry was read: "built-in", or file:line.
	Source string `json:"source"`
}

// Label is the provider's label, for example "infrastructure-docker".
func (e Entry) Label() string { return Label(e.Type, e.Name) }

// Shown is the URL as people may see it: without password and query, which can hold tokens.
func (e Entry) Shown() string {
	if !isRemote(e.URL) {
		return e.URL
	}
	return shownString(e.URL)
}

// CertManager says where cert-manager comes from.
type CertManager struct {
	URL     string
	Version string
	// Timeout is how long to wait for it; never zero after LoadConfig.
	Timeout time.Duration
	// External says that somebody else installs it; it is never installed from here.
	External bool
	// Source is "built-in" or file:line.
	Source string
}

// value is a variable's value and the place where it was read.
type value struct {
	text   string
	origin manifest.Origin
}

// Providers returns all entries, ordered by type and name.
func (c *Config) Providers() []Entry { return slices.Clone(c.entries) }

// Find returns the entry with the type and name.
func (c *Config) Find(t Type, name string) (Entry, bool) {
	i := slices.IndexFunc(c.entries, func(e Entry) bool { return e.Type == t && e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return c.entries[i], true
}

// put adds an entry, or replaces the one with the same name and type.
func (c *Config) put(e Entry) {
	i := slices.IndexFunc(c.entries, func(o Entry) bool { return o.Type == e.Type && o.Name == e.Name })
	if i >= 0 {
		c.entries[i] = e
		return
	}
	c.entries = append(c.entries, e)
}

func (c *Config) sort() {
	slices.SortFunc(c.entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Type.Order(), b.Type.Order()), cmp.Compare(a.Name, b.Name))
	})
}
