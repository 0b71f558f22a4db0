// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// aliasBudget is how much text and structure the aliases of one document may stand for, in bytes, roughly.
// It stops documents of a few lines that unfold to gigabytes.
const aliasBudget = 16 << 20

// depthLimit is how deep values may be nested; it is that of the Kubernetes API machinery.
const depthLimit = 10000

var (
	errAliases = errors.New("its aliases (*name) stand for too much")
	errDepth   = errors.New("it is nested too deeply")
)

// value is the content of a document, with the places that later checks need.
type value struct {
	content any
	line    int   // where it begins, in the source
	items   []int // where the elements of a top-level "items" begin
}

// converter turns the nodes of one document into maps, slices and scalars.
type converter struct {
	src    Source
	chunk  chunk
	faults []error
	items  []int

	budget  int
	aliases int                 // how many aliases are being unfolded right now
	inside  map[*yaml.Node]bool // which nodes they stand for
}

// convert turns one document into a value; all faults of it are returned together.
func convert(src Source, c chunk, root *yaml.Node) (value, []error) {
	cv := &converter{src: src, chunk: c, budget: aliasBudget, inside: map[*yaml.Node]bool{}}
	v := value{line: c.lineOf(root.Line)}
	var err error
	if v.content, err = cv.value(root, 0); err != nil {
		cv.fault(root, "", "%s", err.Error())
	}
	v.items = cv.items
	return v, cv.faults
}

func (cv *converter) fault(n *yaml.Node, hint, format string, args ...any) {
	cv.faults = append(cv.faults, faultAt(cv.src.origin(cv.chunk.lineOf(n.Line)), hint, format, args...))
}

// value converts a node. It returns an error only for what makes going on pointless; other faults are collected.
func (cv *converter) value(n *yaml.Node, depth int) (any, error) {
	if cv.aliases > 0 {
		if cv.budget -= 16 + len(n.Value); cv.budget < 0 {
			return nil, errAliases
		}
	}
	if depth > depthLimit {
		return nil, errDepth
	}
	switch n.Kind {
	case yaml.AliasNode:
		return cv.alias(n, depth)
	case yaml.MappingNode:
		return cv.mapping(n, depth)
	case yaml.SequenceNode:
		return cv.sequence(n, depth)
	}
	v, err := scalarValue(n)
	if err != nil {
		cv.fault(n, "", "the value %s", err.Error())
	}
	return v, nil
}

func (cv *converter) alias(n *yaml.Node, depth int) (any, error) {
	if cv.inside[n.Alias] {
		return nil, errors.New("an anchor (&name) holds an alias (*name) of itself")
	}
	cv.inside[n.Alias] = true
	cv.aliases++
	v, err := cv.value(n.Alias, depth)
	cv.aliases--
	delete(cv.inside, n.Alias)
	return v, err
}

func (cv *converter) sequence(n *yaml.Node, depth int) (any, error) {
	out := make([]any, 0, len(n.Content))
	for _, item := range n.Content {
		v, err := cv.value(item, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (cv *converter) mapping(n *yaml.Node, depth int) (any, error) {
	// An anchor that holds an alias of itself is found here too: a mapping can be inside of its own anchor.
	out := make(map[string]any, len(n.Content)/2)
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	var twice []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		for key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if isMerge(key) {
			if err := cv.merge(val, out, depth); err != nil {
				return nil, err
			}
			continue
		}
		name, err := keyText(key)
		if err != nil {
			cv.fault(n.Content[i], "", "%s", err.Error())
			continue
		}
		if seen[name] != nil {
			twice = append(twice, n.Content[i])
			continue
		}
		seen[name] = n.Content[i]
		if out[name], err = cv.value(val, depth+1); err != nil {
			return nil, err
		}
		if depth == 0 && name == "items" {
			cv.noteItems(val)
		}
	}
	if len(twice) > 0 && cv.aliases == 0 {
		cv.duplicates(twice, seen, depth)
	}
	return out, nil
}

func (cv *converter) noteItems(n *yaml.Node) {
	for _, item := range n.Content {
		cv.items = append(cv.items, cv.chunk.lineOf(item.Line))
	}
}

// duplicates reports keys that stand twice in a mapping. Two documents without --- between them show as a
// second apiVersion or kind; that is one fault, not one per key.
func (cv *converter) duplicates(twice []*yaml.Node, seen map[string]*yaml.Node, depth int) {
	if depth == 0 {
		for _, n := range twice {
			if n.Value == "apiVersion" || n.Value == "kind" {
				line := cv.chunk.lineOf(n.Line)
				cv.fault(n, "put a line with --- between the two objects, before line "+strconv.Itoa(cv.src.origin(line).Line),
					"duplicate mapping key %s, first in line %d: two objects without --- between them", excerpt(n.Value, 60), cv.first(n, seen))
				return
			}
		}
	}
	for _, n := range twice {
		cv.fault(n, "remove one of the two", "duplicate mapping key %s, first in line %d", excerpt(n.Value, 60), cv.first(n, seen))
	}
}

// first is the line of the key that n repeats.
func (cv *converter) first(n *yaml.Node, seen map[string]*yaml.Node) int {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	name, err := keyText(n)
	if err != nil {
		return 0
	}
	return cv.src.origin(cv.chunk.lineOf(seen[name].Line)).Line
}

func isMerge(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "<<" && (n.Style == 0 || n.Tag == "!!merge")
}

// merge unfolds a << key into the mapping, in the place where it stands, as kubectl does it: what follows wins.
func (cv *converter) merge(n *yaml.Node, into map[string]any, depth int) error {
	sources := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		sources = n.Content
	}
	for i := len(sources) - 1; i >= 0; i-- { // the first of a list wins
		v, err := cv.value(sources[i], depth+1)
		if err != nil {
			return err
		}
		from, ok := v.(map[string]any)
		if !ok {
			cv.fault(sources[i], "", "the merge key << takes a mapping or a list of mappings")
			continue
		}
		for key, val := range from {
			into[key] = val
		}
	}
	return nil
}
