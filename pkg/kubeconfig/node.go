// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// field returns the value under a key of a mapping, aliases followed, or nil.
func field(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return follow(mapping.Content[i+1])
		}
	}
	return nil
}

// setField gives a key of a mapping a string value; an alias is replaced, never what it points to.
func setField(mapping *yaml.Node, key, value string, quoted bool) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != key {
			continue
		}
		old := mapping.Content[i+1]
		next := stringNode(value, quoted)
		next.HeadComment, next.LineComment, next.FootComment = old.HeadComment, old.LineComment, old.FootComment
		mapping.Content[i+1] = next
		return
	}
	mapping.Content = append(mapping.Content, stringNode(key, quoted), stringNode(value, quoted))
}

// stringNode is a string that every YAML decoder reads as one: the encoder leaves yes, on
// and 12:30 bare, which kubectl's decoder takes for a truth value and a number.
func stringNode(value string, quoted bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	n.SetString(value)
	if quoted || !isPlain(value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// isPlain is true for words that begin with a letter, go on with letters, digits and a few
// signs, and mean nothing else to any YAML decoder.
func isPlain(value string) bool {
	first := true
	for _, r := range value {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (first || !strings.ContainsRune("0123456789-_@/.:[]", r)) {
			return false
		}
		first = false
	}
	switch strings.ToLower(value) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return !strings.HasSuffix(value, ":")
}

func follow(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

func entryName(entry *yaml.Node) string {
	if name := field(entry, "name"); name != nil {
		return name.Value
	}
	return ""
}

// clone copies a node with everything that its aliases point to, so that it can live in another document.
func clone(n *yaml.Node) *yaml.Node {
	n = follow(n)
	c := *n
	c.Anchor = ""
	c.Content = make([]*yaml.Node, 0, len(n.Content))
	for _, child := range n.Content {
		c.Content = append(c.Content, clone(child))
	}
	return &c
}

// form is how a document is laid out, so that an edited one looks like before.
type form struct {
	// indent is the number of blanks per level.
	indent int
	// compact says that lists are not indented below their key, as kubectl writes them.
	compact bool
	// json says that the document is JSON and has to stay that.
	json bool
}

func formOf(data []byte, root *yaml.Node) form {
	f := form{indent: 2, compact: true, json: json.Valid(data)}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, list := root.Content[i], root.Content[i+1]
		if list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
			continue
		}
		f.compact = list.Column == key.Column
		if step := list.Column - key.Column; step > 1 && step < 9 {
			f.indent = step
		}
		return f
	}
	return f
}

// apply gives a copied node the layout of the document that it goes to.
func (f form) apply(n *yaml.Node) *yaml.Node {
	n.Style &^= yaml.FlowStyle
	if f.json {
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
		if n.Kind != yaml.ScalarNode {
			n.Style = yaml.FlowStyle
		} else if n.ShortTag() == "!!str" {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	for _, child := range n.Content {
		f.apply(child)
	}
	return n
}
