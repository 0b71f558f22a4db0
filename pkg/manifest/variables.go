// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Variables lists the variables of a source, sorted by name. Variables in comments are none, and neither is $${…}.
// A variable inside of a default is listed always; it is Required only if lookup has nothing for the variable that the
// default belongs to. A nil lookup means that nothing is set. Constructs that can't be variables are an error, as in
// [Render].
func Variables(src Source, lookup Lookup) ([]Variable, error) {
	if lookup == nil {
		lookup = unset
	}
	docs, err := templates(src)
	if err != nil {
		return nil, err
	}
	var faults fault.List
	vars := &collector{byName: map[string]*Variable{}}
	for _, t := range docs {
		faults.Add(t.refused())
		vars.collect(t, lookup)
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	return vars.sorted(), nil
}

// templates analyses the documents of a source that have variables or $${ in them.
func templates(src Source) ([]*template, error) {
	text, err := plainText(src)
	if err != nil || !bytes.Contains(text, []byte("${")) {
		return nil, err
	}
	var out []*template
	for _, c := range split(text) {
		if found := scan(c.text); len(found) > 0 {
			out = append(out, analyse(src, c, found))
		}
	}
	return out, nil
}

// refused reports all constructs that can't be variables.
func (t *template) refused() error {
	var faults fault.List
	for _, k := range t.tokens {
		if k.err == nil || k.role == inComment {
			continue
		}
		text := excerpt(string(t.chunk.text[k.start:k.end]), 40)
		hint := "write $${…} to keep it as it is"
		if errors.Is(k.err, errNumber) {
			hint = "write ${NAME:position:length}, or $${…} to keep it as it is"
		}
		faults.Add(faultAt(t.origin(k.start), hint, "%s %s", text, k.err))
	}
	return faults.Err()
}

// collector puts together what several documents say about variables.
type collector struct{ byName map[string]*Variable }

func (c *collector) collect(t *template, lookup Lookup) {
	for _, k := range t.tokens {
		if k.expr == nil || k.role == inComment {
			continue
		}
		k.expr.walk(func(e *expr) { c.use(e, t.origin(e.at)) })
		k.expr.required(lookup, func(e *expr) { c.byName[e.name].Required = true })
	}
}

func (c *collector) use(e *expr, at Origin) {
	v := c.byName[e.name]
	if v == nil {
		v = &Variable{Name: e.name}
		c.byName[e.name] = v
	}
	if e.hasDefault() && !v.HasDefault {
		v.HasDefault, v.Default = true, e.raw
	}
	if e.op == ":?" || e.op == "?" {
		v.Message = e.raw
	}
	if len(v.Uses) == 0 || v.Uses[len(v.Uses)-1] != at {
		v.Uses = append(v.Uses, at)
	}
}

func (c *collector) sorted() []Variable {
	out := make([]Variable, 0, len(c.byName))
	for _, v := range c.byName {
		out = append(out, *v)
	}
	slices.SortFunc(out, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
