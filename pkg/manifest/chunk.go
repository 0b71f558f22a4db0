// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"unicode/utf8"
)

// chunk is the text of one YAML document with its --- line, if it has one. The chunks of a text
// put together give the text again, without the byte order marks inside of it.
type chunk struct {
	text []byte
	line int    // of its first line, from 1
	odd  starts // where its lines begin, if YAML counts other lines than editors do
}

// split cuts text into documents. A line that begins with --- or ... always ends a document, whatever
// stands around it: YAML forbids such lines even inside of quotes and block scalars (YAML 1.2.2, 9.1.2).
func split(text []byte) []chunk {
	var out []chunk
	start, startLine, line := 0, 1, 1
	cut := func(end, next int) {
		if end > start {
			part := bytes.TrimPrefix(text[start:end], []byte(byteOrderMark))
			out = append(out, chunk{text: part, line: startLine, odd: oddStarts(part)})
		}
		start, startLine = end, next
	}
	for pos := 0; pos < len(text); line++ {
		end := lineEnd(text, pos)
		switch {
		case isMarker(text[pos:end], "---") && !onlyDirectives(text[start:pos]):
			cut(pos, line)
		case isMarker(text[pos:end], "..."):
			cut(end, line+1)
		}
		pos = end
	}
	cut(len(text), line)
	return out
}

// lineEnd is the offset behind the line that begins at pos, its line feed included.
func lineEnd(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

// isMarker says whether a line is the marker alone or the marker and white space and anything.
func isMarker(line []byte, marker string) bool {
	line = bytes.TrimPrefix(line, []byte(byteOrderMark)) // files put together with cat carry their marks along
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

// onlyDirectives says that text has %YAML or %TAG lines and no content: it belongs to the document behind it.
func onlyDirectives(text []byte) bool {
	found := false
	for pos := 0; pos < len(text); {
		end := lineEnd(text, pos)
		switch line := bytes.TrimSpace(text[pos:end]); {
		case text[pos] == '%':
			found = true
		case len(line) > 0 && line[0] != '#':
			return false
		}
		pos = end
	}
	return found
}

// blank says that the document holds nothing but comments, white space and markers. It may say no of one that
// holds nothing; it never says yes of one that holds something.
func (c chunk) blank() bool {
	for pos := 0; pos < len(c.text); {
		end := lineEnd(c.text, pos)
		line := c.text[pos:end]
		if isMarker(line, "---") || isMarker(line, "...") {
			line = line[3:]
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
		pos = end
	}
	return true
}

// lineAt is the line in the source of an offset in the chunk.
func (c chunk) lineAt(offset int) int {
	return c.line + bytes.Count(c.text[:min(offset, len(c.text))], []byte("\n"))
}

// lineOf is the line in the source of a line in the chunk as YAML counts them (from 1).
func (c chunk) lineOf(yamlLine int) int {
	if c.odd == nil {
		return c.line + yamlLine - 1
	}
	return c.lineAt(c.odd.offset(yamlLine))
}

// oddStarts are the starts of the lines if YAML sees more lines than editors do: it also breaks lines at a lone
// carriage return, NEL, LS and PS. Nil otherwise.
func oddStarts(text []byte) starts {
	if bytes.Count(text, []byte("\r")) != bytes.Count(text, []byte("\r\n")) ||
		bytes.Contains(text, []byte("\u0085")) || bytes.Contains(text, []byte("\u2028")) || bytes.Contains(text, []byte("\u2029")) {
		return lineStarts(text)
	}
	return nil
}

// starts are the offsets at which the lines of a text begin, as YAML counts lines.
type starts []int

func lineStarts(text []byte) starts {
	out := starts{0}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		i += n
		switch r {
		case '\r':
			if i < len(text) && text[i] == '\n' {
				i++
			}
			out = append(out, i)
		case '\n', '\u0085', '\u2028', '\u2029':
			out = append(out, i)
		}
	}
	return out
}

func (s starts) offset(line int) int {
	return s[max(0, min(line-1, len(s)-1))]
}
