// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Render replaces the variables of a source. Only ${…} is one; $${…} stands for ${…}; all else with a dollar stays.
// The forms are those of github.com/drone/envsubst: ${A}, ${A:=default} (and =, :-, -), ${A:position:length},
// ${A#pattern} (and ##, %, %%), ${A/text/other} (and //, /#, /%), ${A^} (and ^^, comma, two commas), ${#A}; and
// ${A:+other}, ${A:?} as in a shell. With a colon in front of the operator, an empty value counts as none. Defaults
// may hold variables; those are needed only where the default is.
//
// Values go in exactly as they are and are never expanded again. Between quotes they are escaped and in block scalars
// indented as it takes; without quotes they are YAML if they are one scalar, one list or one mapping in brackets, or
// if the variable is alone in its line, and a string otherwise. A value that can't be placed is refused.
// Variables in comments are replaced if they are set, and are never required.
//
// The error, of class fault.Usage, has all faults: constructs of shell syntax that can't be variables, and a
// *[MissingVariablesError] if any variable has no value. It never has a value.
func Render(src Source, lookup Lookup) (Source, error) {
	out, err := RenderAll([]Source{src}, lookup)
	if err != nil {
		return Source{}, err
	}
	return out[0], nil
}

// RenderAll is [Render] for several sources; the error has the faults of all.
func RenderAll(srcs []Source, lookup Lookup) ([]Source, error) {
	if lookup == nil {
		lookup = unset
	}
	var faults fault.List
	missing := &collector{byName: map[string]*Variable{}}
	docs := make([][]*template, len(srcs))
	for i, src := range srcs {
		var err error
		docs[i], err = templates(src)
		faults.Add(err)
		for _, t := range docs[i] {
			faults.Add(t.refused())
			missing.missing(t, lookup)
		}
	}
	if vars := missing.sorted(); len(vars) > 0 {
		faults.Add(missingError(vars))
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	out := make([]Source, len(srcs))
	for i, src := range srcs {
		var err error
		out[i], err = fillAll(src, docs[i], lookup)
		faults.Add(err)
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	return out, nil
}

// fillAll puts the documents of a source together again, those with variables filled.
func fillAll(src Source, docs []*template, lookup Lookup) (Source, error) {
	text, err := plainText(src)
	if err != nil || !bytes.Contains(text, []byte("${")) {
		return src, err
	}
	var faults fault.List
	out := Source{Name: src.Name}
	for _, c := range split(text) {
		f := filled{text: unescape(c.text)}
		if len(docs) > 0 && docs[0].chunk.line == c.line {
			f, err = docs[0].fill(lookup)
			faults.Add(err)
			docs = docs[1:]
		}
		out.Data = append(out.Data, f.text...)
		for i := range bytes.Count(f.text, []byte("\n")) {
			line := i
			if f.lines != nil {
				line = f.lines[i]
			}
			out.Lines = append(out.Lines, src.origin(c.line+line).Line)
		}
	}
	if ordinary(out.Lines) {
		out.Lines = nil
	}
	return out, faults.Err()
}

// absolute turns lines of a chunk into lines of the source.
func absolute(lines []int, first int) []int {
	out := make([]int, first-1, first-1+len(lines))
	for i := range out {
		out[i] = i + 1
	}
	for _, l := range lines {
		out = append(out, first+l)
	}
	return out
}

func ordinary(lines []int) bool {
	for i, l := range lines {
		if l != i+1 {
			return false
		}
	}
	return true
}

// missing collects the variables of a document that have no value and need one.
func (c *collector) missing(t *template, lookup Lookup) {
	for _, k := range t.tokens {
		if k.expr == nil || k.role == inComment {
			continue
		}
		k.expr.required(lookup, func(e *expr) {
			if e.missing(lookup) {
				c.use(e, t.origin(e.at))
			}
		})
	}
}
