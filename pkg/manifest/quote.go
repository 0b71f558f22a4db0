// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// escape writes text so that it stands for itself between double quotes, in YAML and in JSON alike.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unprintable(r), lineBreak(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lineBreak says what breaks a line in YAML besides the line feed.
func lineBreak(r rune) bool {
	return r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// simple says that text can stand in a block scalar or between single quotes: no character needs an escape.
func simple(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unprintable(r) || lineBreak(r) })
}

// quoted reads text as it would be read between quotes, inside of a longer scalar.
func quoted(text, quote string) (string, bool) {
	roots, err := nodes([]byte(quote + "x" + text + "x" + quote))
	if err != nil || len(roots) != 1 || roots[0].Kind != yaml.ScalarNode || !bare(roots[0]) {
		return "", false
	}
	value := roots[0].Value
	if len(value) < 2 || value[0] != 'x' || value[len(value)-1] != 'x' || roots[0].Style&^(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		return "", false
	}
	return value[1 : len(value)-1], true
}

// plain reads text as it would be read where a value without quotes stands. It is nil where the text isn't just one
// scalar or one flow collection: more than that, less than that, something with a comment, an anchor or an alias.
func plain(text string, flow bool) *yaml.Node {
	before, after := "k: ", "\n"
	if flow {
		before, after = "{k: ", "}"
	}
	roots, err := nodes([]byte(before + text + after))
	if err != nil || len(roots) != 1 || roots[0].Kind != yaml.MappingNode || len(roots[0].Content) != 2 {
		return nil
	}
	root, key, value := roots[0], roots[0].Content[0], roots[0].Content[1]
	switch {
	case !bare(root), !bare(key), key.Value != "k", !allBare(value), value.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0:
		return nil
	case value.Kind == yaml.ScalarNode && value.Style == 0 && value.Value != text:
		return nil
	case value.Kind != yaml.ScalarNode && value.Style&yaml.FlowStyle == 0:
		return nil
	}
	return value
}

// bare says that nothing is attached to a node.
func bare(n *yaml.Node) bool {
	return n.Kind != yaml.AliasNode && n.Anchor == "" && n.HeadComment == "" && n.LineComment == "" && n.FootComment == ""
}

func allBare(n *yaml.Node) bool {
	if !bare(n) {
		return false
	}
	for _, item := range n.Content {
		if !allBare(item) {
			return false
		}
	}
	return true
}
