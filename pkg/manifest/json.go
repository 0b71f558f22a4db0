// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// jsonValues reads a document that is JSON, or several JSON values one after the other, as kubectl takes them.
// ok is false where it isn't strictly JSON; it is YAML then. JSON is read by its own rules because YAML lacks some of
// it (surrogate pairs, keys of more than 1024 characters), and because it is faster.
func jsonValues(src Source, c chunk) (out []value, faults []error, ok bool) {
	body := c.text
	if isMarker(body, "---") {
		body = body[3:]
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 || body[0] != '{' {
		return nil, nil, false
	}
	base := len(c.text) - len(body)
	dec := json.NewDecoder(bytes.NewReader(body))
	for {
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case errors.Is(err, io.EOF):
			return out, faults, true
		case err != nil:
			return nil, nil, false
		}
		w := &jsonWalker{src: src, chunk: c, base: base + int(dec.InputOffset()) - len(raw), text: raw}
		w.dec = json.NewDecoder(bytes.NewReader(raw))
		w.dec.UseNumber()
		v := value{line: c.lineAt(w.base), content: w.next(0)}
		v.items = w.items
		out, faults = append(out, v), append(faults, w.faults...)
	}
}

// jsonWalker builds a value token by token, because the decoder alone lets duplicate keys pass. The text was
// checked before: tokens can't fail and nesting is limited.
type jsonWalker struct {
	src    Source
	chunk  chunk
	base   int // offset of text in the chunk
	text   []byte
	dec    *json.Decoder
	faults []error
	items  []int

	inItems      bool
	atPos, atRow int // a place in text and its line, to count on from
}

// line is the line of the token that was read last.
func (w *jsonWalker) line() int {
	return w.lineAt(int(w.dec.InputOffset()) - 1)
}

// lineAt counts on from the last place it was asked for.
func (w *jsonWalker) lineAt(pos int) int {
	if w.atRow == 0 || pos < w.atPos {
		w.atPos, w.atRow = 0, w.chunk.lineAt(w.base)
	}
	w.atRow += bytes.Count(w.text[w.atPos:pos], []byte("\n"))
	w.atPos = pos
	return w.atRow
}

func (w *jsonWalker) fault(hint, format string, args ...any) {
	w.faults = append(w.faults, faultAt(w.src.origin(w.line()), hint, format, args...))
}

func (w *jsonWalker) next(depth int) any {
	tok, err := w.dec.Token()
	if err != nil {
		w.fault("", "is not valid JSON")
		return nil
	}
	switch t := tok.(type) {
	case json.Delim:
		if t == '{' {
			return w.object(depth)
		}
		return w.array(depth)
	case json.Number:
		v, err := jsonNumber(t.String())
		if err != nil {
			w.fault("", "the value %s", err.Error())
		}
		return v
	default:
		return t
	}
}

func (w *jsonWalker) object(depth int) any {
	out := map[string]any{}
	for w.dec.More() {
		tok, err := w.dec.Token()
		key, ok := tok.(string)
		if err != nil || !ok {
			w.fault("", "is not valid JSON")
			return out
		}
		if _, twice := out[key]; twice {
			w.fault("remove one of the two", "duplicate mapping key %s", excerpt(key, 60))
		}
		if depth == 0 {
			w.inItems = key == "items"
		}
		out[key] = w.next(depth + 1)
	}
	w.end()
	return out
}

func (w *jsonWalker) array(depth int) any {
	out := []any{}
	for w.dec.More() {
		if depth == 1 && w.inItems {
			w.items = append(w.items, w.lineAt(w.nextOffset()))
		}
		out = append(out, w.next(depth+1))
	}
	w.end()
	return out
}

// nextOffset is where the next value begins.
func (w *jsonWalker) nextOffset() int {
	at := int(w.dec.InputOffset())
	for at < len(w.text) && bytes.IndexByte([]byte(" \t\r\n,"), w.text[at]) >= 0 {
		at++
	}
	return at
}

// end reads the closing bracket.
func (w *jsonWalker) end() {
	if _, err := w.dec.Token(); err != nil {
		w.fault("", "is not valid JSON")
	}
}
