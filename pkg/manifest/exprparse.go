// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

var (
	errUnclosed = errors.New("has no closing }")
	errShell    = errors.New("can't be a variable (is it meant for a shell?)")
	errNested   = errors.New("is nested too deeply")
	errNumber   = errors.New("needs a number for position and length")
)

const maxNesting = 32

// parser reads the forms that github.com/drone/envsubst knows, which providers write in their templates, and the
// ones of the shell that mean what they say there (:+, :? and their like).
type parser struct {
	text []byte
	flat bool // the first } closes, whatever was opened
}

// construct reads the ${…} at pos and gives the offset behind it.
func (p *parser) construct(pos, nesting int) (*expr, int, error) {
	if nesting > maxNesting {
		return nil, 0, errNested
	}
	e := &expr{at: pos}
	at := pos + 2
	if p.at(at, "#") && nameLength(p.text[at+1:]) > 0 {
		n := nameLength(p.text[at+1:])
		e.name, e.op = string(p.text[at+1:at+1+n]), "len"
		return p.close(e, at+1+n)
	}
	at = p.skipBlanks(at)
	n := nameLength(p.text[at:])
	if n == 0 {
		return nil, 0, p.wrong(at)
	}
	blanks := at > pos+2
	e.name = string(p.text[at : at+n])
	at += n
	if end := p.skipBlanks(at); blanks || end > at { // ${ NAME }, once allowed by clusterctl
		return p.close(e, end)
	}
	e.op = operator(p.text[at:])
	return p.arguments(e, at+len(e.op), nesting)
}

func (p *parser) arguments(e *expr, at, nesting int) (*expr, int, error) {
	switch e.op {
	case "", "^", "^^", ",", ",,":
		return p.close(e, at)
	case "/", "//", "/#", "/%":
		return p.list(e, at, nesting, '/')
	case ":":
		e, end, err := p.list(e, at, nesting, ':')
		if err == nil && !numeric(e) {
			return nil, 0, errNumber
		}
		return e, end, err
	}
	w, end, err := p.word(at, nesting, 0, false)
	if err != nil {
		return nil, 0, err
	}
	e.args, e.raw = []word{w}, string(p.text[at:end])
	return e, end + 1, nil
}

// list reads one or two arguments with a separator between them.
func (p *parser) list(e *expr, at, nesting int, sep byte) (*expr, int, error) {
	w, end, err := p.word(at, nesting, sep, sep == '/')
	if err != nil {
		return nil, 0, err
	}
	e.args = []word{w}
	if p.text[end] == sep {
		if w, end, err = p.word(end+1, nesting, 0, sep == '/'); err != nil {
			return nil, 0, err
		}
		e.args = append(e.args, w)
	}
	return e, end + 1, nil
}

// word reads text with variables up to the } that closes it, or up to the separator, if there is one; it gives the
// offset of that character. In replacements (escapes), \/ and \\ stand for the character alone.
func (p *parser) word(at, nesting int, sep byte, escapes bool) (word, int, error) {
	var out word
	var text []byte
	depth := 0
	for at < len(p.text) {
		c := p.text[at]
		if (c == '}' && (depth == 0 || p.flat)) || (sep != 0 && c == sep && depth == 0) {
			return out.with(text), at, nil
		}
		switch {
		case p.at(at, "$${"):
			text = append(text, "${"...)
			depth++
			at += 3
		case p.at(at, "$$"):
			text = append(text, "$$"...)
			at += 2
		case p.at(at, "${"):
			e, end, err := p.construct(at, nesting+1)
			if err != nil {
				return nil, 0, err
			}
			out, text = append(out.with(text), piece{expr: e}), nil
			at = end
		case escapes && (p.at(at, `\/`) || p.at(at, `\\`)):
			text = append(text, p.text[at+1])
			at += 2
		default:
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			}
			text = append(text, c)
			at++
		}
	}
	return nil, 0, errUnclosed
}

// with appends text, if there is any.
func (w word) with(text []byte) word {
	if len(text) == 0 {
		return w
	}
	return append(w, piece{text: string(text)})
}

// close expects the closing brace.
func (p *parser) close(e *expr, at int) (*expr, int, error) {
	if !p.at(at, "}") {
		return nil, 0, p.wrong(at)
	}
	return e, at + 1, nil
}

func (p *parser) wrong(at int) error {
	if at >= len(p.text) {
		return errUnclosed
	}
	return errShell
}

func (p *parser) at(pos int, what string) bool {
	return pos <= len(p.text) && bytes.HasPrefix(p.text[pos:], []byte(what))
}

func (p *parser) skipBlanks(at int) int {
	for at < len(p.text) && (p.text[at] == ' ' || p.text[at] == '\t') {
		at++
	}
	return at
}

// nameLength is the length of the variable name that text begins with.
func nameLength(text []byte) int {
	for i, c := range text {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}

// operator is the longest one that text begins with.
func operator(text []byte) string {
	for _, op := range []string{
		":=", ":-", ":+", ":?", "##", "%%", "//", "/#", "/%", "^^", ",,",
		"=", "-", "+", "?", "#", "%", "/", "^", ",", ":",
	} {
		if bytes.HasPrefix(text, []byte(op)) {
			return op
		}
	}
	return ""
}

// numeric says whether position and length are numbers, as far as the text alone tells.
func numeric(e *expr) bool {
	for _, w := range e.args {
		if len(w) == 0 {
			return false
		}
		if len(w) == 1 && w[0].expr == nil {
			if _, err := strconv.Atoi(strings.TrimSpace(w[0].text)); err != nil {
				return false
			}
		}
	}
	return true
}
