// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"
)

// inPlain places values where the template has no quotes. Text there is YAML: that is how numbers and lists get in.
// A text that YAML would read as anything but itself, or one list or mapping in brackets, is put into quotes.
func (p *placer) inPlain(s *scalar) bool {
	value := expected(s, p.text)
	whole := expected(s, func(*token) string { return "" }) == ""
	switch {
	case p.cautious && (!whole || s.key || !asYAML(value, s.flow)):
		return p.requote(s, value)
	case !whole:
		return p.mixed(s, value)
	case s.key:
		return p.key(s, value)
	case p.ownLine(s):
		return p.lines(s, value)
	case value == "" && s.flow && s.parent.Kind == yaml.SequenceNode:
		if len(s.parent.Content) > 1 {
			return p.requote(s, value)
		}
		p.wants[s.node] = want{gone: true}
	default:
		n := plain(value, s.flow)
		if n == nil && s.flow && s.parent.Kind == yaml.SequenceNode && splices(value) {
			return false // one element or several? Both would be a guess
		}
		if n == nil {
			return p.requote(s, value)
		}
		p.wants[s.node] = want{value: n.Value, yaml: true}
	}
	p.insert(s, p.text)
	return true
}

// asYAML says that a text is meant as a list or mapping.
func asYAML(text string, flow bool) bool {
	n := plain(text, flow)
	return n != nil && n.Kind != yaml.ScalarNode
}

// mixed places values in the middle of text: the whole is one string, or in quotes.
func (p *placer) mixed(s *scalar, value string) bool {
	n := plain(value, s.flow)
	multiline := strings.ContainsRune(value, '\n') || bytes.ContainsRune(p.t.text[p.t.begin(s.node):s.tokens[len(s.tokens)-1].at], '\n')
	if n == nil || n.Kind != yaml.ScalarNode || n.Style != 0 || multiline || s.key && !keyFit(value) {
		return p.requote(s, value)
	}
	p.wants[s.node] = want{value: value}
	p.insert(s, p.text)
	return true
}

// key places a mapping key that is all variables; keys are strings, never lists.
func (p *placer) key(s *scalar, value string) bool {
	n := plain(value, s.flow)
	if n == nil || n.Kind != yaml.ScalarNode || n.Style != 0 || !keyFit(value) {
		return p.requote(s, value)
	}
	p.wants[s.node] = want{value: value}
	p.insert(s, p.text)
	return true
}

// keyFit says that a text can be a key without quotes: the merge key would be more than a key.
func keyFit(text string) bool {
	return text != "" && text != "<<" && !strings.HasPrefix(text, "?")
}

// splices says that a text would be several elements in a flow list.
func splices(text string) bool {
	roots, err := nodes([]byte("[" + text + "]"))
	return err == nil && len(roots) == 1 && roots[0].Kind == yaml.SequenceNode && len(roots[0].Content) > 1
}

// ownLine says that a scalar has its line for itself, below its key: text of several lines can stand there.
func (p *placer) ownLine(s *scalar) bool {
	return !s.flow && len(s.tokens) == 1 && alone(p.t.chunk.text, s.tokens[0].construct)
}

// lines places what stands alone in its line as YAML of any size; what doesn't read as a list, a mapping or itself goes
// into quotes.
func (p *placer) lines(s *scalar, value string) bool {
	k := s.tokens[0]
	margin := p.t.margin(k)
	text := indented(value, margin)
	roots, err := nodes([]byte(margin + text))
	switch {
	case err != nil || len(roots) > 1:
		return p.requote(s, value)
	case len(roots) == 1 && roots[0].Kind == yaml.ScalarNode && plain(value, false) == nil:
		return p.requote(s, value)
	}
	w := want{yaml: true, value: value}
	if n := plain(value, false); n != nil {
		w.value = n.Value
	}
	p.wants[s.node] = w
	p.edits = append(p.edits, edit{k.at, k.at + len(k.text), text})
	return true
}

// margin is the white space in front of a token that is alone in its line.
func (t *template) margin(k *token) string {
	return string(t.text[bytes.LastIndexByte(t.text[:k.at], '\n')+1 : k.at])
}

// indented gives the lines of a block the indentation of the line it is put into, unless they have it already, as
// people do it for tools that replace text. Where the lines can be read both ways, the way counts that leaves fewer keys
// without a value.
func indented(text, margin string) string {
	lines := strings.Split(text, "\n")
	has := true
	for _, l := range lines[1:] {
		has = has && (strings.TrimSpace(l) == "" || strings.HasPrefix(l, margin))
	}
	for i := range lines[1:] {
		if lines[i+1] != "" {
			lines[i+1] = margin + lines[i+1]
		}
	}
	shifted := strings.Join(lines, "\n")
	if has && empties(margin+text) <= empties(margin+shifted) {
		return text
	}
	return shifted
}

// empties counts the keys and elements without a value; text that can't be read has more than any other.
func empties(text string) int {
	roots, err := nodes([]byte(text))
	if err != nil {
		return math.MaxInt
	}
	count := 0
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" {
			count++
		}
		for _, item := range n.Content {
			walk(item)
		}
	}
	for _, root := range roots {
		walk(root)
	}
	return count
}
