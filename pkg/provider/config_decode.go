// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// The keys with a meaning of their own; every other key is a variable.
const (
	keyProviders   = "providers"
	keyImages      = "images"
	keyCertManager = "cert-manager"
	keyOverrides   = "overridesFolder"
)

// decoder reads one configuration file into a Config. It works on YAML nodes, because faults need lines, and because
// names of variables and scalar values must stay exactly as they are written.
type decoder struct {
	cfg      *Config
	file     string
	base     string
	builtin  bool
	warnings []string
	faults   fault.List
}

func (d *decoder) decode(text []byte) error {
	root, err := d.parse(text)
	if err != nil {
		return fault.WithCode(fault.Usage, err)
	}
	if root == nil {
		return nil
	}
	d.checkDuplicates(root)
	if root.Kind != yaml.MappingNode {
		d.faultf(root, "the file must hold keys and values")
	}
	for _, p := range pairs(root) {
		d.key(p.key, p.value)
	}
	if err := d.faults.Err(); err != nil {
		return fault.WithHint(fault.WithCode(fault.Usage, err), "correct the configuration file; `clusterctl config example` explains every key")
	}
	return nil
}

// parse returns the root node, nil for a file without content.
func (d *decoder) parse(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var root *yaml.Node
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, d.syntax(err)
		}
		node := deref(doc.Content[0])
		switch {
		case isNull(node):
		case root != nil:
			return nil, fmt.Errorf("%s:%d: a second document; the configuration is one document", d.file, node.Line)
		default:
			root = node
		}
	}
}

// syntax gives a parser's error the form of all others: file:line: what.
func (d *decoder) syntax(err error) error {
	m := regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`).FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	if m == nil {
		return fmt.Errorf("%s: %w", d.file, err)
	}
	if m[1] == "" {
		return fmt.Errorf("%s: not valid YAML: %s", d.file, m[2])
	}
	return fmt.Errorf("%s:%s: not valid YAML: %s", d.file, m[1], m[2])
}

func (d *decoder) key(key, val *yaml.Node) {
	switch key.Value {
	case keyProviders:
		d.providers(val)
	case keyImages:
		d.images(val)
	case keyCertManager:
		d.certManager(val)
	case keyOverrides:
		if folder, ok := d.scalar(val, keyOverrides); ok && strings.TrimSpace(folder) != "" {
			d.overrides(val, folder)
		}
	default:
		d.variable(key, val)
	}
}

func (d *decoder) variable(key, val *yaml.Node) {
	for _, known := range []string{keyProviders, keyImages, keyCertManager, keyOverrides} {
		if strings.EqualFold(key.Value, known) {
			d.warnf(key, "%q is read as the name of a variable; did you mean %q?", key.Value, known)
		}
	}
	switch {
	case val.Kind != yaml.ScalarNode:
		d.warnf(key, "%q is ignored: only single values can be variables", key.Value)
	case !isNull(val):
		d.cfg.variables[key.Value] = value{text: val.Value, origin: d.origin(key)}
	}
}

func (d *decoder) overrides(at *yaml.Node, folder string) {
	folder, err := d.expand(at, folder)
	if err == nil {
		folder, err = localPath(folder, d.base, d.cfg.dirs.Home)
	}
	if err != nil {
		d.faultf(at, "%s: %w", keyOverrides, err)
		return
	}
	d.cfg.OverridesFolder = folder
}

func (d *decoder) certManager(node *yaml.Node) {
	f := d.fields(node, keyCertManager, "url", "version", "timeout", "externallyProvisioned")
	cm := &d.cfg.CertManager
	cm.Source = d.source(node)
	if f["version"].set() {
		cm.Version = f["version"].text
	}
	if f["url"].set() {
		if loc, err := d.location(f["url"].node, f["url"].text); err != nil {
			d.faultf(f["url"].node, "cert-manager: url: %w", err)
		} else {
			cm.URL = loc
			if !f["version"].set() {
				cm.Version = "" // the built-in version says nothing about what is there
			}
		}
	}
	if f["timeout"].set() {
		t, err := time.ParseDuration(f["timeout"].text)
		if err != nil || t <= 0 {
			d.faultf(f["timeout"].node, "cert-manager: timeout %q is not a duration like 10m", f["timeout"].text)
		} else {
			cm.Timeout = t
		}
	}
	if f["externallyProvisioned"].set() {
		b, err := strconv.ParseBool(f["externallyProvisioned"].text)
		if err != nil {
			d.faultf(f["externallyProvisioned"].node, "cert-manager: externallyProvisioned %q is neither true nor false", f["externallyProvisioned"].text)
		}
		cm.External = b
	}
}

// expand fills ${NAME} in from the environment.
func (d *decoder) expand(at *yaml.Node, text string) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	out, err := manifest.Render(manifest.Source{Name: d.source(at), Data: []byte(text)}, d.environment)
	if err != nil {
		return "", err
	}
	return string(out.Data), nil
}

func (d *decoder) environment(name string) (string, bool) {
	if v, ok := d.cfg.lookupEnv(name); ok {
		return v, true
	}
	return d.cfg.dirs.Home, name == "HOME" && d.cfg.dirs.Home != ""
}

func (d *decoder) location(at *yaml.Node, text string) (string, error) {
	text, err := d.expand(at, text)
	if err != nil {
		return "", err
	}
	return location(text, d.base, d.cfg.dirs.Home)
}

func (d *decoder) origin(n *yaml.Node) manifest.Origin {
	return manifest.Origin{File: d.file, Line: n.Line}
}

func (d *decoder) source(n *yaml.Node) string {
	if d.builtin {
		return "built-in"
	}
	return d.origin(n).String()
}

func (d *decoder) warnf(n *yaml.Node, format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf("%s:%d: ", d.file, n.Line)+fmt.Sprintf(format, args...))
}

func (d *decoder) faultf(n *yaml.Node, format string, args ...any) {
	d.faults.Add(fmt.Errorf("%s:%d: %w", d.file, n.Line, fmt.Errorf(format, args...)))
}
