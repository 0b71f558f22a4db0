// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// pair is a key of a mapping with its value, aliases followed.
type pair struct{ key, value *yaml.Node }

// pairs lists the keys of a mapping in their order; keys of a merge ("<<") come first, so that the mapping's own ones win.
func pairs(n *yaml.Node) []pair {
	n = deref(n)
	if n.Kind != yaml.MappingNode {
		return nil
	}
	var merged, own []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], deref(n.Content[i+1])
		switch {
		case key.Tag != "!!merge":
			own = append(own, pair{key, val})
		case val.Kind == yaml.SequenceNode:
			for _, m := range slices.Backward(val.Content) {
				merged = append(merged, pairs(m)...)
			}
		default:
			merged = append(merged, pairs(val)...)
		}
	}
	return append(merged, own...)
}

func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// checkDuplicates reports keys that are set twice, everywhere in the file: a parser that keeps the last one hides a mistake.
func (d *decoder) checkDuplicates(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		first := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if line, ok := first[key.Value]; ok && key.Kind == yaml.ScalarNode {
				d.faultf(key, "key %q is set twice, first at line %d", key.Value, line)
				continue
			}
			first[key.Value] = key.Line
		}
	}
	for _, c := range n.Content {
		d.checkDuplicates(c)
	}
}

// field is a scalar value of a mapping with known keys.
type field struct {
	node *yaml.Node
	text string
}

func (f field) set() bool { return f.node != nil }

// fields reads a mapping whose values are all scalars. Unknown keys are warned about: an older or newer version may know them.
func (d *decoder) fields(n *yaml.Node, what string, known ...string) map[string]field {
	out := map[string]field{}
	if isNull(n) {
		return out
	}
	if n.Kind != yaml.MappingNode {
		d.faultf(n, "%s: keys and values are expected here: %s", what, list(known))
		return out
	}
	for _, p := range pairs(n) {
		if !slices.Contains(known, p.key.Value) {
			d.warnf(p.key, "%s: unknown key %q is ignored; there are %s", what, p.key.Value, list(known))
			continue
		}
		if text, ok := d.scalar(p.value, what+": "+p.key.Value); ok {
			out[p.key.Value] = field{node: p.value, text: text}
		}
	}
	return out
}

// scalar gives the text of a single value as it is written; ok is false for null and for anything else, which is a fault.
func (d *decoder) scalar(n *yaml.Node, what string) (text string, ok bool) {
	if n.Kind != yaml.ScalarNode {
		d.faultf(n, "%s: a single value is expected here", what)
		return "", false
	}
	return n.Value, !isNull(n)
}
