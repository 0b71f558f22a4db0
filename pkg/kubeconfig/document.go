// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// section is one of the three lists of a kubeconfig.
type section struct {
	// list is the key of the list, item that of the value inside of an entry.
	list, item string
}

func sections() []section {
	return []section{{"clusters", "cluster"}, {"users", "user"}, {"contexts", "context"}}
}

// document is a kubeconfig as YAML nodes: editing those keeps comments, order and
// fields that no Go type knows.
type document struct {
	root *yaml.Node // the top mapping
	file yaml.Node  // the document node around it
	form form
}

var (
	errNotMapping = errors.New("it is not a YAML mapping")
	errManyDocs   = errors.New("it holds more than one YAML document")
)

// parseDocument reads exactly one YAML document. Its errors are safe to show.
func parseDocument(data []byte) (*document, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	d := &document{}
	if err := decoder.Decode(&d.file); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errNotMapping
		}
		return nil, errors.New(describeYAML(err))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errManyDocs
	}
	if len(d.file.Content) != 1 || d.file.Content[0].Kind != yaml.MappingNode {
		return nil, errNotMapping
	}
	d.root = d.file.Content[0]
	d.form = formOf(data, d.root)
	return d, d.check()
}

// newDocument is an empty kubeconfig.
func newDocument() *document {
	d := &document{root: &yaml.Node{Kind: yaml.MappingNode}, form: form{indent: 2, compact: true}}
	d.file = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{d.root}}
	d.set("apiVersion", "v1")
	d.set("kind", "Config")
	return d
}

// check proves the shape that the other methods rely on.
func (d *document) check() error {
	for _, s := range sections() {
		list := d.value(s.list)
		if list == nil || isNull(list) {
			continue
		}
		if list.Kind != yaml.SequenceNode {
			return fmt.Errorf("%s (line %d) is not a list", s.list, list.Line)
		}
		seen := map[string]bool{}
		for _, e := range list.Content {
			name := field(follow(e), "name")
			if name == nil || name.Kind != yaml.ScalarNode || name.Value == "" {
				return fmt.Errorf("an entry of %s (line %d) has no name", s.list, e.Line)
			}
			if seen[name.Value] {
				return fmt.Errorf("%s has two entries called %q", s.list, name.Value)
			}
			seen[name.Value] = true
		}
	}
	return nil
}

// value returns what is under a top-level key, aliases followed, or nil.
func (d *document) value(key string) *yaml.Node { return field(d.root, key) }

func (d *document) scalar(key string) string {
	if v := d.value(key); v != nil && v.Kind == yaml.ScalarNode && !isNull(v) {
		return v.Value
	}
	return ""
}

// set gives a top-level key a string value.
func (d *document) set(key, value string) {
	setField(d.root, key, value, d.form.json)
}

// entries returns the entries of a list in their order.
func (d *document) entries(s section) []*yaml.Node {
	list := d.value(s.list)
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]*yaml.Node, 0, len(list.Content))
	for _, e := range list.Content {
		out = append(out, follow(e))
	}
	return out
}

// entry returns the entry of that name, or nil.
func (d *document) entry(s section, name string) *yaml.Node {
	for _, e := range d.entries(s) {
		if entryName(e) == name {
			return e
		}
	}
	return nil
}

// put adds an entry at the end of its list, or takes the place of the one of the same name.
func (d *document) put(s section, entry *yaml.Node) {
	list := d.value(s.list)
	if list == nil {
		list = &yaml.Node{Kind: yaml.SequenceNode}
		d.root.Content = append(d.root.Content, stringNode(s.list, d.form.json), list)
	}
	if isNull(list) {
		*list = yaml.Node{Kind: yaml.SequenceNode, HeadComment: list.HeadComment, LineComment: list.LineComment, FootComment: list.FootComment}
	}
	if len(list.Content) == 0 && d.root.Style&yaml.FlowStyle == 0 {
		list.Style &^= yaml.FlowStyle
	}
	entry = d.form.apply(entry)
	for i, e := range list.Content {
		if entryName(follow(e)) == entryName(entry) {
			list.Content[i] = entry
			return
		}
	}
	list.Content = append(list.Content, entry)
}

// bytes writes the document in the form that it was read in.
func (d *document) bytes() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(d.form.indent)
	if d.form.compact {
		encoder.CompactSeqIndent()
	}
	if err := encoder.Encode(&d.file); err != nil {
		return nil, errors.New("write kubeconfig as YAML: the encoder refused it")
	}
	if err := encoder.Close(); err != nil {
		return nil, errors.New("write kubeconfig as YAML: the encoder refused it")
	}
	return out.Bytes(), nil
}
