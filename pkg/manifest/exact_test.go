// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contexts are the places where a value has to come out exactly; want says what the scalar "got" has to hold.
var contexts = []struct {
	name, template string
	want           func(value string) string
}{
	{"double quotes", "got: \"${V}\"\nz: 1\n", same},
	{"double quotes, more text", "got: \"a ${V} \\\"b\\\" ${V}\"\nz: 1\n", func(v string) string { return "a " + v + ` "b" ` + v }},
	{"double quotes over lines", "got: \"a\n  ${V}\n  b\"\nz: 1\n", func(v string) string { return "a " + v + " b" }},
	{"single quotes", "got: '${V}'\nz: 1\n", same},
	{"single quotes, more text", "got: 'it''s ${V}'\nz: 1\n", func(v string) string { return "it's " + v }},
	{"literal", "got: |\n  ${V}\nz: 1\n", func(v string) string { return clip(v + "\n") }},
	{"literal, more text", "got: |\n  a: ${V} b\n    c\nz: 1\n", func(v string) string { return "a: " + v + " b\n  c\n" }},
	{"literal, later line", "got: |-\n  first\n  ${V}\nz: 1\n", func(v string) string { return strings.TrimRight("first\n"+v, "\n") }},
	{"literal, all line ends", "got: |+\n  first\n  ${V}\n\nz: 1\n", func(v string) string { return "first\n" + v + "\n\n" }},
	{"literal, indentation given", "got: |2\n   first\n  ${V}\nz: 1\n", func(v string) string { return clip(" first\n" + v + "\n") }},
	{"literal in a list", "- k: 1\n  got: |\n    ${V}\n    end\n- z\n", func(v string) string { return v + "\nend\n" }},
	{"folded", "got: >\n  a\n  ${V}\nz: 1\n", func(v string) string { return clip("a " + v + "\n") }},
	{"plain, text in front", "got: pre-${V}\nz: 1\n", func(v string) string { return "pre-" + v }},
	{"plain, text behind", "got: ${V}-post\nz: 1\n", func(v string) string { return v + "-post" }},
	{"plain over lines", "got: a\n  ${V}\n  b\nz: 1\n", func(v string) string { return "a " + v + " b" }},
	{"plain in a flow list", "{got: x${V}y, z: [1, 2]}\n", func(v string) string { return "x" + v + "y" }},
	{"plain in a list", "- got: x${V}\n- z\n", func(v string) string { return "x" + v }},
	{"comment behind", "got: \"${V}\" # ${V}\nz: 1\n", same},
	{"CRLF", "got: |\r\n  a\r\n  ${V}b\r\nz: 1\r\n", func(v string) string { return "a\n" + v + "b\n" }},
	{"JSON", "{\"got\": \"${V}\", \"z\": 1}\n", same},
}

func same(v string) string { return v }

func clip(s string) string {
	if t := strings.TrimRight(s, "\n"); t != "" {
		return t + "\n"
	}
	return ""
}

// values are hard to place.
var values = []string{
	"", " ", "a", "a$b", "$$", "${V}", "$${V}", "$(id)", "`id`", `"`, `'`, `\`, `\n`, "a: b", "a:", ": a", "a #b", "#b", "# b", "- a", "-", "--- a", "---", "...", "a\n---\nb",
	"a\nb", "\na", "a\n", "a\n\n", "\n", "a\n  b\nc", "  a\nb", "\ta", "a\tb", "a\n\tb", "a\r\nb", "a\rb", "*a", "&a", "!a", "!!str a", "%a", "@a", "|", "> a", "? a", "?", "[", "]", "{", "}", "{}", "[]", ",", "a, b",
	`a", z: "2`, "a', z: '2", "x}\nz: 2", "x\nz: 2", "x\n  z: 2", "null", "~", "true", "yes", "1", "1.0", "0x1", "<<", "=", "é", "日本", "\U0001F600", "\u0085", "a\u2028b", "\u00a0", "\uFEFF", "a\uFEFF", "\x00", "\x01", "\x7f", "\u0080",
	" a", "a ", "  ", "a  b", "a\n\n\nb", "a \nb", "\n\n a", "zqv0z", "a\n   \nb", "a\n   ", "-----BEGIN X-----\nMIIB+/=\n-----END X-----\n", `{"a":"b"}`, `["a","b"]`, `"a"`, `'a'`, "a\\", `\"`, "'\"'\"'", "%YAML 1.2",
}

func TestValuesComeOutExactly(t *testing.T) {
	t.Parallel()
	for _, c := range contexts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, v := range values {
				if got, err := renderOne(c.template, v); err != nil {
					t.Errorf("%q: refused: %v", v, err)
				} else if want := c.want(v); got != want {
					t.Errorf("%q: got %q, want %q", v, got, want)
				}
			}
		})
	}
}

// renderOne renders a template with one variable, V, checks that what is around it stays, and gives what became of "got".
func renderOne(template, value string) (string, error) {
	out, err := Render(Source{Name: "t", Data: []byte(template)}, lookup(map[string]string{"V": value}))
	if err != nil {
		return "", err
	}
	content, err := weRead(out.Data)
	if err != nil {
		return "", err
	}
	before, err := weRead([]byte(strings.ReplaceAll(template, "${V}", "v")))
	if err != nil {
		return "", err
	}
	found := ""
	if diff := cmp.Diff(blank(before, new(string)), blank(content, &found)); diff != "" {
		return "changed: " + diff, nil
	}
	return found, nil
}

// blank takes the value of "got" out.
func blank(v any, found *string) any {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			if s, ok := item.(string); ok && k == "got" {
				*found = s
				v[k] = "?"
				continue
			}
			v[k] = blank(item, found)
		}
	case []any:
		for i := range v {
			v[i] = blank(v[i], found)
		}
	}
	return v
}

func lookup(m map[string]string) Lookup {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

// FuzzRender looks for templates and values that make Render panic, and for values that don't come out exactly where
// they have to.
func FuzzRender(f *testing.F) {
	for _, v := range values {
		f.Add("a: ${V}\nb: [${V}, \"${V:=x}\"]\n# ${V}\nc: |\n  ${V/a/b}\n${V}: d\n", v)
	}
	f.Add("spec:\n  ${V}\n  a: ${V:-${W:=\"x\"}}\n- b\n${V}\n", "x: 1\ny: 2")
	f.Add("${V}\n---\n${V#a}${V%%b}${V^^}${V:1:2}${#V}${V+x}${V:?y}${ V }$${V}\n", "abc")
	f.Fuzz(func(t *testing.T, template, value string) {
		src := Source{Name: "t", Data: []byte(template)}
		vars, err := Variables(src, nil)
		out, errRender := Render(src, func(string) (string, bool) { return value, true })
		if err != nil && errRender == nil {
			t.Fatalf("variables can't be listed (%v) but rendered", err)
		}
		if len(vars) > 0 && errRender == nil {
			for _, c := range split(out.Data) {
				if _, err := nodes(c.text); err != nil {
					checkUntouched(t, template, c, err)
				}
			}
		}
		c := contexts[len(template)%len(contexts)]
		if got, err := renderOne(c.template, value); err == nil && got != c.want(value) {
			t.Fatalf("%s: %q became %q", c.name, value, got)
		}
	})
}

// checkUntouched allows broken YAML in documents without variables only: those go through as they are.
func checkUntouched(t *testing.T, template string, c chunk, err error) {
	t.Helper()
	if !strings.Contains(strings.ReplaceAll(template, "$${", "${"), string(c.text)) {
		t.Fatalf("rendered to what can't be read: %v\n%q", err, c.text)
	}
}
