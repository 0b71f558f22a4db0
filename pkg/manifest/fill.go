// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// filled is a document with its values in.
type filled struct {
	text  []byte
	lines []int // line in the chunk, from 0, of each line of text
}

// fill puts the values into a template. Nothing may be missing. The result was read again and holds exactly the values
// that were put in; where that can't be had, the error names the variables, never a value.
func (t *template) fill(lookup Lookup) (filled, error) {
	segs := make(map[*token][]segment, len(t.tokens))
	var faults fault.List
	for _, k := range t.tokens {
		s, err := t.evalToken(k, lookup)
		faults.Add(err)
		segs[k] = s
	}
	if err := faults.Err(); err != nil {
		return filled{}, err
	}
	if t.opaque {
		return t.fillText(segs)
	}
	for _, cautious := range []bool{false, true} {
		p := &placer{t: t, segs: segs, cautious: cautious, wants: map[*yaml.Node]want{}}
		for _, s := range t.scalars {
			if !p.scalar(s) {
				return filled{}, t.unplaceable(s.tokens)
			}
		}
		inserted := p.rest()
		out, ranges := t.apply(p.edits, inserted)
		if p.holds(out.text, ranges) {
			return out, nil
		}
	}
	return filled{}, t.unplaceable(t.tokens)
}

// evalToken finds what a token stands for. In a comment, where something is missing or can't be read, it stays as it is.
func (t *template) evalToken(k *token, lookup Lookup) ([]segment, error) {
	asIs := []segment{{text: string(t.chunk.text[k.start:k.end]), written: true}}
	if k.role != inComment {
		segs, err := k.expr.eval(lookup)
		switch {
		case err != nil:
			return nil, faultAt(t.origin(k.start), "", "%s: the variable %s %s", excerpt(asIs[0].text, 40), k.expr.name, err)
		case !utf8.ValidString(join(segs)):
			return nil, faultAt(t.origin(k.start), "", "the value of %s is not UTF-8 text", k.names())
		}
		return segs, nil
	}
	if k.expr == nil {
		return asIs, nil
	}
	missing := false
	k.expr.required(lookup, func(e *expr) { missing = missing || e.missing(lookup) })
	segs, err := k.expr.eval(lookup)
	if text := join(segs); missing || err != nil || !utf8.ValidString(text) || !simple(text) || strings.Contains(text, "\n") {
		return asIs, nil //nolint:nilerr // nobody reads a comment: it stays as it is
	}
	return segs, nil
}

// names lists the variables of a construct.
func (k *token) names() string {
	var names []string
	k.expr.walk(func(e *expr) {
		if !slices.Contains(names, e.name) {
			names = append(names, e.name)
		}
	})
	return strings.Join(names, ", ")
}

// rest makes the edits for what isn't in scalars, and names the tokens that stand for whole lines.
func (p *placer) rest() map[int]bool {
	inserted := map[int]bool{}
	for _, k := range p.t.tokens {
		switch k.role {
		case inComment:
			p.edits = append(p.edits, edit{k.at, k.at + len(k.text), p.text(k)})
		case asBlock:
			p.edits = append(p.edits, edit{k.at, k.at + len(k.text), indented(p.text(k), p.t.margin(k))})
			inserted[k.at] = true
		}
	}
	return inserted
}

// apply carries out edits. ranges are the lines of the result, from 1, that came in with the edits named in inserted.
func (t *template) apply(edits []edit, inserted map[int]bool) (filled, [][2]int) {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out filled
	var ranges [][2]int
	row, pos := 0, 0 // row of pos in t.text
	out.lines = append(out.lines, t.lines[0])
	keep := func(end int) {
		for range bytes.Count(t.text[pos:end], []byte("\n")) {
			row++
			out.lines = append(out.lines, t.lines[row])
		}
		out.text = append(out.text, t.text[pos:end]...)
		pos = end
	}
	for _, e := range edits {
		keep(e.start)
		first := len(out.lines)
		for range strings.Count(e.text, "\n") {
			out.lines = append(out.lines, t.lines[row])
		}
		out.text = append(out.text, e.text...)
		if inserted[e.start] {
			ranges = append(ranges, [2]int{first, len(out.lines)})
		}
		row += bytes.Count(t.text[pos:e.end], []byte("\n"))
		pos = e.end
	}
	keep(len(t.text))
	return out, ranges
}

// unplaceable is the error for values that can't be brought into the document.
func (t *template) unplaceable(tokens []*token) error {
	var faults fault.List
	for _, k := range tokens {
		if k.role != inComment {
			faults.Add(faultAt(t.origin(k.start), "put the variable into double quotes, or give a value that is one YAML value",
				"the value of %s can't stand here without changing what is around it", k.names()))
		}
	}
	if len(faults.Faults) == 0 {
		return faultAt(t.src.origin(t.chunk.line), "", "the document can't be read as YAML")
	}
	return faults.Err()
}

// fillText fills a document that isn't YAML before the values are in. Where values go can't be told there: only such
// as mean the same everywhere are taken.
func (t *template) fillText(segs map[*token][]segment) (filled, error) {
	var risky []*token
	var edits []edit
	for _, k := range t.tokens {
		edits = append(edits, edit{k.at, k.at + len(k.text), join(segs[k])})
		for _, s := range segs[k] {
			if k.role != inComment && !s.written && !inert(s.text) {
				risky = append(risky, k)
				break
			}
		}
	}
	if len(risky) > 0 {
		return filled{}, t.unplaceable(risky)
	}
	out, _ := t.apply(edits, nil)
	if _, err := nodes(out.text); err != nil {
		c := chunk{text: out.text, line: t.chunk.line, odd: oddStarts(out.text)}
		src := t.src
		if t.src.Lines == nil {
			src.Lines = absolute(out.lines, t.chunk.line)
		}
		return filled{}, c.syntaxFault(src, err)
	}
	return out, nil
}

// inert says that a text reads the same between quotes, without quotes, and in a block.
func inert(text string) bool {
	return strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@+=") == "" &&
		!strings.HasSuffix(text, ":") && !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "@")
}
