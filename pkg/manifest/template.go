// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// role is what a construct is in its document.
type role int

const (
	inScalar  role = iota // part of a key or value
	inComment             // means nothing to anyone; never required, never refused
	asBlock               // alone in its line where no scalar can stand: stands for whole lines of YAML
	asText                // anywhere, in a document that isn't YAML before the values are in
)

// token stands for a construct while the document is looked at as YAML.
type token struct {
	construct
	text  string // what stands in the place of the construct: a word without meaning
	at    int    // offset in template.text
	role  role
	inner *scalar // where role is inScalar
}

// scalar is a key or value that has tokens in it.
type scalar struct {
	node   *yaml.Node
	parent *yaml.Node
	key    bool // of a mapping
	flow   bool // inside of [ ] or { }
	tokens []*token
}

// template is a document with its constructs replaced by tokens, so that a YAML parser, and not a guess, says
// which of them stand in comments, and in what kind of scalar the others stand.
type template struct {
	src     Source
	chunk   chunk
	text    []byte
	lines   []int // line in the chunk, from 0, of each line of text
	tokens  []*token
	scalars []*scalar
	roots   []*yaml.Node
	opaque  bool // the text isn't YAML before the values are in
	starts  starts
}

// analyse prepares a document for substitution; constructs is what scan found in it.
func analyse(src Source, c chunk, constructs []construct) *template {
	var t *template
	for _, blocks := range []bool{false, true} {
		t = &template{src: src, chunk: c}
		t.build(constructs, blocks)
		roots, err := nodes(t.text)
		if err == nil && t.locate(roots) {
			return t
		}
	}
	t.opaque, t.roots, t.scalars = true, nil, nil
	for _, k := range t.tokens {
		k.role, k.inner = asText, nil
		if start := bytes.LastIndexByte(t.text[:k.at], '\n') + 1; bytes.HasPrefix(bytes.TrimLeft(t.text[start:k.at+1], " \t"), []byte("#")) && k.text[0] != '#' {
			k.role = inComment
		}
	}
	return t
}

// build writes the text with tokens. With blocks, constructs that are alone in their line become comments.
func (t *template) build(constructs []construct, blocks bool) {
	prefix := freeWord(t.chunk.text)
	pos, line := 0, 0
	t.lines = []int{0}
	for i, k := range constructs {
		line = t.copy(t.chunk.text[pos:k.start], line)
		tok := &token{construct: k, text: prefix + strconv.Itoa(i) + "z", at: len(t.text)}
		if blocks && alone(t.chunk.text, k) {
			tok.text, tok.role = "#"+tok.text, asBlock
		} else {
			tok.role = inComment // unless it is found in a scalar
		}
		t.text = append(t.text, tok.text...)
		t.tokens = append(t.tokens, tok)
		line += bytes.Count(t.chunk.text[k.start:k.end], []byte("\n"))
		pos = k.end
	}
	t.copy(t.chunk.text[pos:], line)
}

// copy appends plain template text and notes where its lines come from.
func (t *template) copy(text []byte, line int) int {
	t.text = append(t.text, unescape(text)...)
	for range bytes.Count(text, []byte("\n")) {
		line++
		t.lines = append(t.lines, line)
	}
	return line
}

// freeWord finds the beginning of a word that the text doesn't hold.
func freeWord(text []byte) string {
	word := "zqv"
	for n := 0; bytes.Contains(text, []byte(word)); n++ {
		word = "zqv" + strconv.Itoa(n) + "q"
	}
	return word
}

// alone says that nothing but white space shares the lines of a construct.
func alone(text []byte, k construct) bool {
	start := bytes.LastIndexByte(text[:k.start], '\n') + 1
	return len(bytes.Trim(text[start:k.start], " ")) == 0 && len(bytes.TrimSpace(text[k.end:lineEnd(text, k.end)])) == 0
}

// locate finds the tokens in the nodes. It is false if one stands where it can't be followed: in an anchor or a tag.
func (t *template) locate(roots []*yaml.Node) bool {
	t.roots, t.starts, t.scalars = roots, lineStarts(t.text), nil
	byText := make(map[string]*token, len(t.tokens))
	for _, k := range t.tokens {
		byText[strings.TrimPrefix(k.text, "#")] = k
	}
	w := &locator{t: t, byText: byText}
	if len(t.tokens) > 0 {
		first := strings.TrimPrefix(t.tokens[0].text, "#")
		w.prefix = strings.TrimSuffix(first, "0z")
	}
	for _, root := range roots {
		if !w.walk(&scalar{node: root}) {
			return false
		}
	}
	return t.commentsAre()
}

type locator struct {
	t      *template
	byText map[string]*token
	prefix string
}

func (w *locator) walk(s *scalar) bool {
	n := s.node
	if strings.Contains(n.Anchor, w.prefix) || strings.Contains(n.Tag, w.prefix) {
		return false
	}
	flow := s.flow || n.Style&yaml.FlowStyle != 0
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		for i, item := range n.Content {
			if !w.walk(&scalar{node: item, parent: n, flow: flow, key: n.Kind == yaml.MappingNode && i%2 == 0}) {
				return false
			}
		}
	case yaml.ScalarNode:
		w.find(s)
	}
	return true
}

// find notes the tokens of a scalar.
func (w *locator) find(s *scalar) {
	rest := s.node.Value
	for {
		i := strings.Index(rest, w.prefix)
		if i < 0 {
			break
		}
		rest = rest[i:]
		end := strings.IndexByte(rest[len(w.prefix):], 'z')
		if end < 0 {
			break
		}
		end += len(w.prefix) + 1
		if k := w.byText[rest[:end]]; k != nil {
			k.role, k.inner = inScalar, s
			s.tokens = append(s.tokens, k)
		}
		rest = rest[end:]
	}
	if len(s.tokens) > 0 {
		w.t.scalars = append(w.t.scalars, s)
	}
}

// commentsAre checks that what wasn't found in a scalar has a # in front of it.
func (t *template) commentsAre() bool {
	for _, k := range t.tokens {
		if k.role != inComment {
			continue
		}
		line := t.text[:k.at]
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		if !bytes.HasPrefix(line, []byte("#")) && !bytes.Contains(line, []byte(" #")) && !bytes.Contains(line, []byte("\t#")) {
			return false
		}
	}
	return true
}

// origin is where a construct stands.
func (t *template) origin(at int) Origin {
	return t.src.origin(t.chunk.lineAt(at))
}
