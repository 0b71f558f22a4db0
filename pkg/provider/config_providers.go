// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"net"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/naming"
)

func (d *decoder) providers(n *yaml.Node) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.faultf(n, "providers: a list is expected here")
		return
	}
	places := map[string]string{}
	for _, item := range n.Content {
		e, ok := d.provider(deref(item))
		if !ok {
			continue
		}
		if first, twice := places[e.Label()]; twice {
			d.warnf(item, "provider %s (%s) is listed twice, first at %s; the last one is used", e.Name, e.Type, first)
		}
		places[e.Label()] = d.origin(item).String()
		d.cfg.put(e)
	}
}

func (d *decoder) provider(n *yaml.Node) (Entry, bool) {
	before := len(d.faults.Faults)
	f := d.fields(n, "provider", "name", "type", "url")
	for _, key := range []string{"name", "type", "url"} {
		if f[key].text == "" {
			d.faultf(n, "provider %s: %s is missing", f["name"].text, key)
		}
	}
	e := Entry{Name: f["name"].text, Type: Type(f["type"].text), Source: d.source(n)}
	if e.Type != "" && !e.Type.Valid() {
		d.faultf(f["type"].node, "provider %s: unknown type %q; there are %s", e.Name, e.Type, typeNames())
	}
	if e.Name != "" {
		d.checkName(f["name"].node, e)
	}
	if f["url"].text != "" {
		d.url(&e, f["url"])
	}
	return e, len(d.faults.Faults) == before
}

// url fills the entry's URL in, if a repository can be made of it.
func (d *decoder) url(e *Entry, f field) {
	loc, err := d.location(f.node, f.text)
	if err == nil {
		e.URL = loc
		_, err = d.cfg.newRepository(*e)
	}
	if err != nil {
		d.faultf(f.node, "provider %s: url: %w", e.Name, err)
		return
	}
	d.warnPlainHTTP(f.node, *e)
}

func (d *decoder) checkName(n *yaml.Node, e Entry) {
	if short, ok := strings.CutPrefix(e.Name, e.Type.Flag()+"-"); ok && e.Type.Valid() {
		if _, known := d.cfg.Find(e.Type, short); known {
			d.faultf(n, "provider name %q is a label; the name is %q: did you mean %s?", e.Name, short, short)
			return
		}
		d.warnf(n, "provider name %q starts with its type; did you mean %s?", e.Name, short)
	}
	if err := naming.Subdomain("provider name", e.Name); err != nil {
		d.faultf(n, "%v", err)
	}
	if e.Type.Valid() && (e.Name == CoreName) != (e.Type == CoreProvider) {
		d.faultf(n, "provider %s: the name %s belongs to the type %s, and to no other", e.Name, CoreName, CoreProvider)
	}
}

// warnPlainHTTP points out that components run with many rights and can be changed on the way.
func (d *decoder) warnPlainHTTP(n *yaml.Node, e Entry) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "http" {
		return
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && !ip.IsLoopback() {
		d.warnf(n, "provider %s: components are fetched without encryption: %s", e.Name, e.URL)
	}
}

func (d *decoder) images(n *yaml.Node) {
	if !isNull(n) && n.Kind != yaml.MappingNode {
		d.faultf(n, "images: keys and values are expected here")
		return
	}
	for _, p := range pairs(n) {
		what := "images: " + p.key.Value
		f := d.fields(p.value, what, "repository", "name", "tag")
		o := ImageOverride{
			Repository: strings.TrimSuffix(f["repository"].text, "/"),
			Name:       f["name"].text, Tag: f["tag"].text, origin: d.origin(p.key),
		}
		if err := o.check(); err != nil {
			d.faultf(p.key, "%s: %w", what, err)
			continue
		}
		d.cfg.images[p.key.Value] = o
	}
}

// checkImageKeys warns about overrides that can't take effect because no provider has that label.
func (d *decoder) checkImageKeys() {
	for key, o := range d.cfg.images {
		label, _, _ := strings.Cut(key, "/")
		if key == imagesAll || label == keyCertManager || d.cfg.hasLabel(label) {
			continue
		}
		hint := ""
		if near := nearest(label, d.cfg.labels()); len(near) > 0 {
			hint = "; did you mean " + list(near) + "?"
		}
		d.warnings = append(d.warnings, o.origin.String()+": images: no provider is called "+label+hint)
	}
}

func (c *Config) labels() []string {
	out := make([]string, 0, len(c.entries))
	for _, e := range c.entries {
		out = append(out, e.Label())
	}
	return out
}

func (c *Config) hasLabel(label string) bool {
	t, name, ok := ParseLabel(label)
	if !ok {
		return false
	}
	_, found := c.Find(t, name)
	return found
}

// find is Find with an error that helps: near names, other types of the same name, and how to add a provider.
func (c *Config) find(s Spec) (Entry, error) {
	if e, ok := c.Find(s.Type, s.Name); ok {
		return e, nil
	}
	if t, name, ok := ParseLabel(s.Name); ok {
		if _, known := c.Find(t, name); known && t != CoreProvider {
			return Entry{}, fault.WithHint(fault.Usagef("unknown %s %q", s.Type, s.Name), "did you mean --%s %s?", t.Flag(), name)
		}
	}
	var names, types []string
	for _, e := range c.entries {
		if e.Type == s.Type {
			names = append(names, e.Name)
		} else if e.Name == s.Name {
			types = append(types, "--"+e.Type.Flag())
		}
	}
	err := fault.Usagef("unknown %s %q", s.Type, s.Name)
	add := "`clusterctl config repositories` lists all; add one under providers: in clusterctl.yaml with name, type and url"
	switch near := nearest(s.Name, names); {
	case len(near) > 0:
		return Entry{}, fault.WithHint(err, "did you mean %s? %s", list(near), add)
	case len(types) > 0:
		return Entry{}, fault.WithHint(err, "there is a provider of that name for %s; %s", list(types), add)
	}
	return Entry{}, fault.WithHint(err, "%s", add)
}
