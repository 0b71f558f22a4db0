// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// edit replaces a part of a template's text.
type edit struct {
	start, end int
	text       string
}

// want is what a scalar must read as when everything is in place.
type want struct {
	value string
	yaml  bool // it may also be what its text says as YAML: a list, a quoted string
	gone  bool // it may be missing: the only element of a flow list, and empty
}

// placer finds for each scalar with constructs in it the text that reads as exactly the values put in.
type placer struct {
	t        *template
	segs     map[*token][]segment
	cautious bool // put everything into double quotes that isn't YAML on purpose
	wants    map[*yaml.Node]want
	edits    []edit
}

// scalar places the values of one scalar. It returns false if there is no way.
func (p *placer) scalar(s *scalar) bool {
	switch {
	case s.node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return p.inQuotes(s)
	case s.node.Style&yaml.LiteralStyle != 0:
		return p.inLiteral(s)
	case s.node.Style&yaml.FoldedStyle != 0:
		return p.inFolded(s)
	}
	return p.inPlain(s)
}

// insert puts a text in the place of each token of a scalar.
func (p *placer) insert(s *scalar, text func(*token) string) {
	for _, k := range s.tokens {
		p.edits = append(p.edits, edit{k.at, k.at + len(k.text), text(k)})
	}
}

// text is what a token stands for, as it is.
func (p *placer) text(k *token) string { return join(p.segs[k]) }

// expected is the value of a scalar with a text in the place of each token.
func expected(s *scalar, text func(*token) string) string {
	pairs := make([]string, 0, 2*len(s.tokens))
	for _, k := range s.tokens {
		pairs = append(pairs, k.text, text(k))
	}
	return strings.NewReplacer(pairs...).Replace(s.node.Value)
}

// requote replaces the whole scalar by a double-quoted one of the given value.
func (p *placer) requote(s *scalar, value string) bool {
	start, end, ok := p.t.span(s.node)
	if !ok {
		return false
	}
	p.edits = append(p.edits, edit{start, end, `"` + escape(value) + `"`})
	p.wants[s.node] = want{value: value}
	return true
}

// inQuotes escapes values as the quotes ask for it. Defaults are written in the template, inside of the same quotes:
// they are escaped already, if they can be read that way.
func (p *placer) inQuotes(s *scalar) bool {
	quote, escaped := `"`, escape
	if s.node.Style&yaml.SingleQuotedStyle != 0 {
		quote, escaped = `'`, func(v string) string { return strings.ReplaceAll(v, `'`, `''`) }
	}
	texts, values := map[*token]string{}, map[*token]string{}
	fits := true
	for _, k := range s.tokens {
		for _, seg := range p.segs[k] {
			if seg.written {
				if value, ok := quoted(seg.text, quote); ok {
					texts[k], values[k] = texts[k]+seg.text, values[k]+value
					continue
				}
			}
			texts[k], values[k] = texts[k]+escaped(seg.text), values[k]+seg.text
			fits = fits && (quote == `"` || simple(seg.text) && !strings.Contains(seg.text, "\n"))
		}
	}
	value := expected(s, func(k *token) string { return values[k] })
	if p.cautious || !fits {
		return p.requote(s, value)
	}
	p.insert(s, func(k *token) string { return texts[k] })
	p.wants[s.node] = want{value: value}
	return true
}

// inLiteral indents the lines of values. What is behind the last line is up to the block's header, as always.
func (p *placer) inLiteral(s *scalar) bool {
	header := p.t.begin(s.node)
	texts, values := map[*token]string{}, map[*token]string{}
	for _, k := range s.tokens {
		indent, ok := p.t.indentAt(s.node, k.at)
		if !ok {
			return p.requote(s, expected(s, p.text))
		}
		margin := "\n" + strings.Repeat(" ", indent)
		for _, seg := range p.segs[k] {
			if seg.written { // its lines are indented already
				texts[k] += seg.text
				values[k] += strings.ReplaceAll(strings.ReplaceAll(seg.text, margin, "\n"), "\r\n", "\n")
				continue
			}
			texts[k] += strings.ReplaceAll(strings.ReplaceAll(seg.text, "\n", margin), margin+"\n", "\n\n")
			values[k] += seg.text
		}
	}
	value := chomp(expected(s, func(k *token) string { return values[k] }), p.t.text[header:lineEnd(p.t.text, header)])
	first := s.tokens[0]
	opens := strings.HasPrefix(s.node.Value, first.text) && strings.TrimLeft(values[first], " \t\n") != values[first]
	if p.cautious || opens || value == "" || !simple(value) {
		return p.requote(s, value)
	}
	p.insert(s, func(k *token) string { return texts[k] })
	p.wants[s.node] = want{value: value}
	return true
}

// chomp treats the end of a value as the header of its block scalar says: - for no line end, + for all, else one.
func chomp(value string, header []byte) string {
	head, _, _ := strings.Cut(string(header), "#")
	switch {
	case strings.Contains(head, "+"):
		return value
	case strings.Contains(head, "-"):
		return strings.TrimRight(value, "\n")
	}
	trimmed := strings.TrimRight(value, "\n")
	if trimmed == "" || trimmed == value {
		return trimmed
	}
	return trimmed + "\n"
}

// inFolded puts values of one line in; line ends would be folded away.
func (p *placer) inFolded(s *scalar) bool {
	header := p.t.begin(s.node)
	value := chomp(expected(s, p.text), p.t.text[header:lineEnd(p.t.text, header)])
	if p.cautious || !simple(value) {
		return p.requote(s, value)
	}
	for _, k := range s.tokens {
		if v := p.text(k); strings.Contains(v, "\n") || strings.TrimSpace(v) != v || v == "" {
			return p.requote(s, value)
		}
	}
	p.insert(s, p.text)
	p.wants[s.node] = want{value: value}
	return true
}
