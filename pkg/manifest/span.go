// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// begin is the offset at which a scalar itself begins, behind its tag and anchor.
func (t *template) begin(n *yaml.Node) int {
	at := t.starts.offset(n.Line)
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(t.text[at:])
		at += size
	}
	for at < len(t.text) && (t.text[at] == '!' || t.text[at] == '&') {
		at = skip(t.text, at, func(c byte) bool { return !isSpace(c) })
		at = skip(t.text, at, isSpace)
		for at < len(t.text) && t.text[at] == '#' {
			at = skip(t.text, lineEnd(t.text, at), isSpace)
		}
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func skip(text []byte, at int, while func(byte) bool) int {
	for at < len(text) && while(text[at]) {
		at++
	}
	return at
}

// span is where a scalar stands in the text; ok is false where that can't be told.
func (t *template) span(n *yaml.Node) (start, end int, ok bool) {
	start = t.begin(n)
	switch {
	case start >= len(t.text):
		return 0, 0, false
	case n.Style&yaml.DoubleQuotedStyle != 0:
		end, ok = quotedEnd(t.text, start, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		end, ok = quotedEnd(t.text, start, '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		end, ok = t.blockEnd(n, start)
	default:
		end, ok = plainEnd(t.text, start, n.Value)
	}
	return start, end, ok
}

// quotedEnd is the offset behind the closing quote.
func quotedEnd(text []byte, at int, quote byte) (int, bool) {
	if text[at] != quote {
		return 0, false
	}
	for at++; at < len(text); at++ {
		switch {
		case text[at] == '\\' && quote == '"':
			at++
		case text[at] == quote && quote == '\'' && at+1 < len(text) && text[at+1] == quote:
			at++
		case text[at] == quote:
			return at + 1, true
		}
	}
	return 0, false
}

// plainEnd follows the words of a plain scalar, whose white space may be folded.
func plainEnd(text []byte, at int, value string) (int, bool) {
	for i, word := range strings.Fields(value) {
		if i > 0 {
			at = skip(text, at, isSpace)
		}
		if !bytes.HasPrefix(text[at:], []byte(word)) {
			return 0, false
		}
		at += len(word)
	}
	return at, true
}

// blockEnd is the end of the last line of a block scalar that isn't empty, without its line end.
func (t *template) blockEnd(n *yaml.Node, header int) (int, bool) {
	pos := lineEnd(t.text, header)
	head := string(bytes.TrimRight(t.text[header:pos], "\r\n"))
	if n.Style&yaml.LiteralStyle != 0 { // its lines are the lines of its value
		end := pos
		for range 1 + strings.Count(strings.TrimRight(n.Value, "\n"), "\n") {
			pos, end = lineEnd(t.text, pos), pos
		}
		return end + len(bytes.TrimRight(t.text[end:pos], "\r\n")), true
	}
	if strings.ContainsAny(strings.SplitN(head, "#", 2)[0], "123456789") {
		return 0, false
	}
	end, indent := header+len(head), 0
	for pos < len(t.text) {
		next := lineEnd(t.text, pos)
		line := bytes.TrimRight(t.text[pos:next], "\r\n")
		spaces := len(line) - len(bytes.TrimLeft(line, " "))
		if spaces < len(line) {
			if indent == 0 {
				indent = spaces
			}
			if spaces < max(indent, 1) {
				break
			}
			end = pos + len(line)
		}
		pos = next
	}
	return end, true
}

// indentAt is the indentation that a literal block scalar has in the line of a token; ok is false where the
// lines of the text and of the value don't correspond.
func (t *template) indentAt(n *yaml.Node, at int) (indent int, ok bool) {
	header := t.begin(n)
	row := bytes.Count(t.text[header:at], []byte("\n")) - 1
	rows := strings.Split(n.Value, "\n")
	start := bytes.LastIndexByte(t.text[:at], '\n') + 1
	line := bytes.TrimRight(t.text[start:lineEnd(t.text, start)], "\r\n")
	if row < 0 || row >= len(rows) || !bytes.HasSuffix(line, []byte(rows[row])) {
		return 0, false
	}
	indent = len(line) - len(rows[row])
	return indent, indent > 0 && len(bytes.TrimLeft(line[:indent], " ")) == 0
}
