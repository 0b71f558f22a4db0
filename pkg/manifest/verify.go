// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// holds reads the finished document and compares it with the template: the same structure, and in each scalar that had
// constructs the value it has to have. Only in the lines that whole-line constructs brought in may there be more.
func (p *placer) holds(text []byte, inserted [][2]int) bool {
	roots, err := nodes(text)
	if err != nil {
		return false
	}
	v := &verifier{wants: p.wants, inserted: inserted}
	if len(roots) == 0 && len(p.t.roots) == 1 { // a document that was one variable, and empty
		w, ok := p.wants[p.t.roots[0]]
		return ok && w.yaml && w.value == ""
	}
	if len(p.t.roots) == 0 && len(roots) == 1 {
		return v.isNew(roots[0])
	}
	return len(roots) == len(p.t.roots) && v.items(p.t.roots, roots)
}

type verifier struct {
	wants    map[*yaml.Node]want
	inserted [][2]int
}

// isNew says that a node begins in inserted lines.
func (v *verifier) isNew(n *yaml.Node) bool {
	return slices.ContainsFunc(v.inserted, func(r [2]int) bool { return r[0] <= n.Line && n.Line <= r[1] })
}

func (v *verifier) same(old, now *yaml.Node) bool {
	if w, ok := v.wants[old]; ok {
		return old.Anchor == now.Anchor && w.met(old, now)
	}
	switch {
	case old.Kind == yaml.ScalarNode && old.Value == "" && old.Style == 0 && v.isNew(now):
		return true // a key without a value got one
	case old.Kind != now.Kind, old.Anchor != now.Anchor, old.Tag != now.Tag, old.Value != now.Value:
		return false
	case old.Kind == yaml.MappingNode:
		return v.pairs(old.Content, now.Content)
	}
	return v.items(old.Content, now.Content)
}

// met says whether a scalar reads as it has to.
func (w want) met(old, now *yaml.Node) bool {
	switch now.Kind {
	case yaml.ScalarNode:
		tagged := old.Style&yaml.TaggedStyle != 0
		return now.Value == w.value && tagged == (now.Style&yaml.TaggedStyle != 0) && (!tagged || now.Tag == old.Tag)
	case yaml.AliasNode:
		return false
	}
	return w.yaml
}

func (v *verifier) items(old, now []*yaml.Node) bool {
	i := 0
	for _, n := range now {
		switch {
		case i < len(old) && v.same(old[i], n):
			i++
		case v.isNew(n):
		default:
			return false
		}
	}
	if i < len(old) && len(old) == 1 && v.wants[old[0]].gone {
		return true
	}
	return i == len(old)
}

func (v *verifier) pairs(old, now []*yaml.Node) bool {
	i := 0
	for j := 0; j+1 < len(now); j += 2 {
		switch {
		case i+1 < len(old) && v.same(old[i], now[j]) && v.same(old[i+1], now[j+1]):
			i += 2
		case v.isNew(now[j]):
		default:
			return false
		}
	}
	return i == len(old)
}
