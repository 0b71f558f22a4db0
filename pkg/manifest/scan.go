// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"errors"
	"strings"
)

// construct is a ${…} in a document.
type construct struct {
	start, end int
	expr       *expr
	err        error // why it can't be a variable, where expr is nil
}

// wideReach limits how far behind its beginning a construct of several lines may end, in bytes.
const wideReach = 16 << 10

// scan finds what begins with ${ in a document, in order; it skips $${, which stands for ${ itself.
// Everything else with a dollar sign is text: $x, $1, $(cmd), $$.
func scan(text []byte) []construct {
	var out []construct
	for pos := 0; ; {
		i := bytes.IndexByte(text[pos:], '$')
		if i < 0 {
			return out
		}
		pos += i
		switch {
		case bytes.HasPrefix(text[pos:], []byte("$$")):
			pos += 2
		case bytes.HasPrefix(text[pos:], []byte("${")):
			c := scanOne(text, pos)
			out = append(out, c)
			pos = c.end
		default:
			pos++
		}
	}
}

// scanOne reads the construct at pos. It ends at the brace that closes it, with braces in between balanced, in the
// same line; else in a later line; else, where braces aren't balanced, at the first closing brace in the line.
func scanOne(text []byte, pos int) construct {
	eol := pos + len(bytes.TrimRight(text[pos:lineEnd(text, pos)], "\r\n"))
	tries := []parser{{text: text[:eol]}, {text: text[:min(len(text), pos+wideReach)]}, {text: text[:eol], flat: true}}
	if start := bytes.LastIndexByte(text[:pos], '\n') + 1; strings.HasPrefix(string(bytes.TrimLeft(text[start:pos], " \t")), "#") {
		tries[1] = tries[2]
	}
	for i := range tries {
		p := &tries[i]
		e, end, err := p.construct(pos, 0)
		switch {
		case err == nil:
			return construct{start: pos, end: end, expr: e}
		case !errors.Is(err, errUnclosed):
			return construct{start: pos, end: extent(text[:eol], pos), err: err}
		}
	}
	return construct{start: pos, end: extent(text[:eol], pos), err: errUnclosed}
}

// extent finds the end of a construct that can't be read: its closing brace, or the end of the line.
func extent(line []byte, pos int) int {
	depth := 0
	for i := pos; i < len(line); i++ {
		switch line[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(line)
}

// unescape turns $${ into ${.
func unescape(text []byte) []byte {
	if !bytes.Contains(text, []byte("$${")) {
		return text
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		switch {
		case bytes.HasPrefix(text[i:], []byte("$${")):
			out = append(out, "${"...)
			i += 2
		case bytes.HasPrefix(text[i:], []byte("$$")):
			out = append(out, "$$"...)
			i++
		default:
			out = append(out, text[i])
		}
	}
	return out
}
