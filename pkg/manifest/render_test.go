// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestForms(t *testing.T) {
	t.Parallel()
	values := map[string]string{"A": "heron", "E": "", "P": "path/to/file.tar.gz", "U": "éa日", "N": "2", "D": "a$b", "V": "v1.34.4"}
	for in, want := range map[string]string{
		// what isn't a variable
		"$A": "$A", "$": "$", "$$": "$$", "$$A": "$$A", "$1 $@ $#": "$1 $@ $#", "$(A)": "$(A)", "{A}": "{A}", "US$ 5": "US$ 5", "$$$": "$$$",
		"$${A}": "${A}", "$${A:-${A}}": "${A:-heron}", "$${A:-$${A}}": "${A:-${A}}", "$$${A}": "$$heron", "$$$${A}": "$$${A}", "$${#l[@]}": "${#l[@]}",
		// values
		"${A}": "heron", "x${A}y": "xherony", "${ A }": "heron", "${ A}": "heron", "${A }": "heron", "${A}${A}": "heronheron", "${E}": "", "${D}": "a$b",
		// defaults
		"${X:=d}": "d", "${X=d}": "d", "${X:-d}": "d", "${X-d}": "d", "${A:=d}": "heron", "${A=d}": "heron", "${A:-d}": "heron", "${A-d}": "heron",
		"${E:=d}": "d", "${E:-d}": "d", "${E=d}": "", "${E-d}": "", "${X:=}": "", "${X:-}": "", "${X:=${A}-net}": "heron-net", "${X:=${Y:=${A}}}": "heron",
		"${X:=a:b=c,d}": "a:b=c,d", "${X:={1}}": "{1}", "${X:={{1}}}z": "{{1}}z", "${X:=a}b}": "ab}", "${X:={a}": "{a", "${X:=$A}": "$A", "${X:=$$}": "$$", "${X:=$${A}}": "${A}", "${X:=$$${A}}": "$$heron",
		"${A:=${NOPE}}": "heron", "${X:=$(x)}": "$(x)", "${X:= d }": " d ", "${X:=[1]}": "[1]",
		// alternatives
		"${A:+x}": "x", "${E:+x}": "", "${X:+x}": "", "${A+x}": "x", "${E+x}": "x", "${X+x}": "", "${A:+${A}!}": "heron!", "${X:+${NOPE}}": "", "${A:?needed}": "heron", "${E?needed}": "",
		// changes
		"${A^}": "Heron", "${A^^}": "HERON", "${U^}": "Éa日", "${V^^}": "V1.34.4", "${E^}": "", "${V,,}": "v1.34.4", "${#A}": "5", "${#U}": "3", "${#E}": "0",
		"${P#*/}": "to/file.tar.gz", "${P##*/}": "file.tar.gz", "${P%.*}": "path/to/file.tar", "${P%%.*}": "path/to/file", "${V#v}": "1.34.4", "${V#x}": "v1.34.4", "${V#?}": "1.34.4", "${V#[a-z]}": "1.34.4", "${V#[}": "v1.34.4",
		"${P/t/T}": "paTh/to/file.tar.gz", "${P//t/T}": "paTh/To/file.Tar.gz", "${P/#path/x}": "x/to/file.tar.gz", "${P/#to/x}": "path/to/file.tar.gz", "${P/%gz/x}": "path/to/file.tar.x", "${P/%tar/x}": "path/to/file.tar.gz",
		"${P//\\//-}": "path-to-file.tar.gz", "${P/t}": "pah/to/file.tar.gz", "${P//t/}": "pah/o/file.ar.gz", "${P//./\\\\}": `path/to/file\tar\gz`, "${P/*/x}": "path/to/file.tar.gz", "${A/${N}/x}": "heron", "${A/e/${N}}": "h2ron", "${A//}": "heron",
		"${V:0:4}": "v1.3", "${V:1}": "1.34.4", "${V:1:4}": "1.34", "${V: -1}": "4", "${V:9}": "", "${V:0:99}": "v1.34.4", "${V:0:-2}": "v1.34", "${V: -99:2}": "v1", "${V:${N}}": ".34.4", "${U:1:1}": "a", "${V:5:-5}": "",
	} {
		out, err := Render(Source{Name: "f", Data: []byte("k: |-\n  .\n  " + in + "\n")}, lookup(values))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		v, err := weRead(out.Data)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := strings.TrimPrefix(v.(map[string]any)["k"].(string), ".\n"); got != want && (got != "." || want != "") {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestWholeValuesAreYAML(t *testing.T) {
	t.Parallel()
	var null any
	for _, c := range []struct {
		template, value string
		want            any
	}{
		{"k: ${V}", "3", int64(3)},
		{"k: ${V}", "true", true},
		{"k: ${V}", "", null},
		{"k: ${V}", "~", null},
		{"k: ${V}", `["10.0.0.0/16", b]`, []any{"10.0.0.0/16", "b"}},
		{"k: ${V}", "{a: {b: 1}}", map[string]any{"a": map[string]any{"b": int64(1)}}},
		{"k: ${V}", "[\n\"a\",\n\"b\"\n]\n", []any{"a", "b"}},
		{"k: ${V}", `"3"`, "3"},
		{"k: ${V}", `'it''s'`, "it's"},
		{"k: ${V}", `"a" "b"`, `"a" "b"`},
		{"k: ${V}", "a: b", "a: b"},
		{"k: ${V}", "a:\n  b", "a:\n  b"},
		{"k: ${V}", "[a] # b", "[a] # b"},
		{"k: ${V}", "[a", "[a"},
		{"k: ${V}", "*a", "*a"},
		{"k: ${V}", "!!int 1", "!!int 1"},
		{"k: ${V}", "|\n  x", "|\n  x"},
		{"k: ${V}", "x\nz: 1", "x\nz: 1"},
		{"a: &a 1\nk: ${V}", "*a", "*a"},
		{"k: !!str ${V}", "3", "3"},
		{"k: &x ${V}\nl: *x", "a: b", "a: b"},
		{"k: ${V}${V}", "1", int64(11)},
		{"k: 1${V}", "0", int64(10)},
		{"k: ${X:=[a, b]}", "", []any{"a", "b"}},
		{"k: ${X:=\"3\"}", "", "3"},
		{"k: ${X:=a: b}", "", "a: b"},
		{"k: \"${X:=a\\tb\\\"}\"", "", "a\tb\""},
		{"k: \"${X:=\"q\"}\"", "", `"q"`},
		{"k: '${X:=it''s}'", "", "it's"},
		{"k: '${X:=it's}'", "", "it's"},
		{"k: \"${X:=\\t${V}}\"", `\t`, "\t\\t"},
		{"k: |\n  ${X:=a\n  b}\n", "", "a\nb\n"},
		{"{k: ${V}}", "[1]", []any{int64(1)}},
		{"{k: ${V}}", "1, z: 2", "1, z: 2"},
		{"{k: ${V}}", "", null},
		{"{k: [${V}]}", "", []any{}},
		{"{k: [a, ${V}]}", "", []any{"a", ""}},
		{"{k: [${V}]}", "a", []any{"a"}},
		{"{k: [${V}]}", "a: b", []any{"a: b"}},
		{"k:\n- ${V}\n- b", "", []any{null, "b"}},
		{"k:\n- ${V}", "- a", []any{"- a"}},
		{"k:\n- ${V}", "a: 1", []any{"a: 1"}},
		{"k: {${V}: 1}", "a", map[string]any{"a": int64(1)}},
		{"k: {${V}: 1}", "a: b", map[string]any{"a: b": int64(1)}},
		{"k: {${V}: 1}", "[a]", map[string]any{"[a]": int64(1)}},
		{"k: {${V}: 1}", "<<", map[string]any{"<<": int64(1)}},
		{"k: {${V}: 1}", "", map[string]any{"": int64(1)}},
		{"k: {\"${V}\": 1}", `"`, map[string]any{`"`: int64(1)}},
		{"k: {x-${V}: 1}", "y", map[string]any{"x-y": int64(1)}},
		{"k:\n  ${V}: 1", "a #b", map[string]any{"a #b": int64(1)}},
		{"k:\n  ${V}\nz: 1", "a: 1", map[string]any{"a": int64(1)}},
		{"k:\n  ${V}\nz: 1", "a: 1\nb:\n  c: 2", map[string]any{"a": int64(1), "b": map[string]any{"c": int64(2)}}},
		{"k:\n  ${V}\nz: 1", "a: 1\n  b:\n    c: 2", map[string]any{"a": int64(1), "b": map[string]any{"c": int64(2)}}},
		{"k:\n  ${V}\nz: 1", "- a\n- b", []any{"a", "b"}},
		{"k:\n  ${V}\nz: 1", "- a\n  - b", []any{"a", "b"}},
		{"k:\n  ${V}\nz: 1", "plain", "plain"},
		{"k:\n  ${V}\nz: 1", "a\nb", "a\nb"},
		{"k:\n  ${V}\nz: 1", "# a", "# a"},
		{"k:\n  ${V}\nz: 1", "", null},
		{"k:\n  a: 1\n  ${V}\nz: 1", "b: 2\nc: [3]", map[string]any{"a": int64(1), "b": int64(2), "c": []any{int64(3)}}},
		{"k:\n  a: 1\n  ${V}\nz: 1", "", map[string]any{"a": int64(1)}},
		{"k:\n  a:\n    b: 'x'\n${V}\n---\n", "\n  c:\n    - 1\n  d:\n  - e: >-\n      f\n      g", map[string]any{"a": map[string]any{"b": "x"}, "c": []any{int64(1)}, "d": []any{map[string]any{"e": "f g"}}}},
		{"k:\n  a:\n    b: 'x'\n${V}\n", "", map[string]any{"a": map[string]any{"b": "x"}}},
		{"k:\n- a\n${V}\nz: 1", "- b\n- c", []any{"a", "b", "c"}},
		{"k:\n  - a\n  ${V}\n  - d\nz: 1", "- b\n- c", []any{"a", "b", "c", "d"}},
		{"k:\n  a:\n    ${V}\n  ${W:=b: 1}\n  c: |\n    ${V}\nz: 1", "x", map[string]any{"a": "x", "b": int64(1), "c": "x\n"}},
	} {
		out, err := Render(Source{Name: "f", Data: []byte(c.template)}, lookup(map[string]string{"V": c.value}))
		if err != nil {
			t.Errorf("%q with %q: %v", c.template, c.value, err)
			continue
		}
		v, err := weRead(out.Data)
		if err != nil {
			t.Errorf("%q with %q: %v\n%s", c.template, c.value, err, out.Data)
			continue
		}
		if diff := cmp.Diff(c.want, v.(map[string]any)["k"]); diff != "" {
			t.Errorf("%q with %q: -want +got\n%s", c.template, c.value, diff)
		}
	}
}

func TestRefusedValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ template, value, want string }{
		"several elements or one": {"a: 1\nk: [${V}]\n", "secret, b", "f:2: the value of V can't stand here without changing what is around it"},
		"not UTF-8":               {"a: 1\nk: \"${V}\"\n", "secret\xff", "f:2: the value of V is not UTF-8 text"},
		"lines that aren't YAML":  {"k:\n  a: 1\n  ${V}\nz: 1\n", "secret", "f:3: the value of V can't stand here without changing what is around it"},
		"lines that break out":    {"k:\n  a: 1\n  ${V}\n  b: 1\nz: 1\n", "secret: [", "f:3: the value of V can't stand here without changing what is around it"},
		"no YAML around":          {"k: {{ ${V} }}: [\n", "secret: x", "f:1: the value of V can't stand here without changing what is around it"},
		"no YAML at all":          {"a: 1\nk: {{ ${V} }}: [\n", "x", "f:2: is not valid YAML: "},
		"position":                {"k: \"x ${V:${W:=x}}\"\n", "secret", "f:1: \"${V:${W:=x}}\": the variable V needs a number for position and length"},
		"anchor":                  {"k: &${V} 1\nz: *${V}\n", "a b", "f:1: the value of V can't stand here without changing what is around it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Render(Source{Name: "f", Data: []byte(c.template)}, lookup(map[string]string{"V": c.value}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if strings.Contains(fmt.Sprint(err, fault.Hints(err)), "secret") {
				t.Error("the error shows the value")
			}
			if fault.CodeOf(err) != fault.Usage {
				t.Errorf("class %d", fault.CodeOf(err))
			}
		})
	}
}

func TestRefusedConstructs(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"${#list[@]}", "${list[0]}", "${list[@]}", "${!x}", "${x@Q}", "${1}", "${@}", "${*}", "${?}", "${$}", "${}", "${ }", "${a.b}", "${a b}", "${A^x}", "${A,,x}", "${é}", "${A:x}", "${A:}", "${A:1:x}", "${ A:=x }", "${#}", "${#1}", "${X:=${list[0]}}",
	} {
		text := "a: 1\nb: |\n  echo " + in + " ${ALSO_MISSING}\n# " + in + "\nc: \"" + in + "\"\n"
		_, err := Render(Source{Name: "f", Data: []byte(text)}, nil)
		if err == nil {
			t.Errorf("%s: no error", in)
			continue
		}
		msg := err.Error()
		if !strings.Contains(msg, "f:3: \""+in+"\"") || !strings.Contains(msg, "f:5: \"") || strings.Contains(msg, "f:4:") || !strings.Contains(msg, "ALSO_MISSING") {
			t.Errorf("%s: %v", in, err)
		}
		if !strings.Contains(strings.Join(fault.Hints(err), "\n"), "$${") {
			t.Errorf("%s: no hint at $${: %q", in, fault.Hints(err))
		}
		if _, err := Variables(Source{Name: "f", Data: []byte(text)}, nil); err == nil {
			t.Errorf("%s: listed without an error", in)
		}
	}
	_, err := Render(Source{Name: "f", Data: []byte("a: \"${A\"\nb: ${B:=x\nc: 1\n")}, lookup(map[string]string{"A": "x", "B": "y"}))
	if err == nil || !strings.Contains(err.Error(), `f:1: "${A\"" `) || !strings.Contains(err.Error(), `f:2: "${B:=x" has no closing }`) {
		t.Errorf("got %v", err)
	}
	long := "a: ${" + strings.Repeat("x", 100) + "!}\n"
	if _, err := Render(Source{Name: "f", Data: []byte(long)}, nil); err == nil || !strings.Contains(err.Error(), `"${`+strings.Repeat("x", 38)+`…"`) {
		t.Errorf("got %v", err)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	a := Source{Name: "a", Data: []byte("# ${COMMENT}\na: ${B} ${A}\nb: ${B:=x}\nc: \"${C:=${D}-net}\"\nd: ${SET:=${E}}\n---\ne: ${F:?tell me} ${SET^^}\n")}
	b := Source{Name: "b", Data: []byte("a: ${A}\nb: ${A}\nc: ${A}\nd: ${A}\ne: ${EMPTY}\n")}
	_, err := RenderAll([]Source{a, b}, lookup(map[string]string{"SET": "s", "EMPTY": ""}))
	var missing *MissingVariablesError
	if !errors.As(err, &missing) || fault.CodeOf(err) != fault.Usage {
		t.Fatalf("got %v", err)
	}
	want := "4 variables have no value:\n  - A, used at a:2, b:1, b:2 and 2 more\n  - B, used at a:2\n  - D, used at a:4\n  - F, used at a:7 (tell me)"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if hints := fault.Hints(err); len(hints) != 1 || !strings.Contains(hints[0], "export A=") || !strings.Contains(hints[0], "$${A}") {
		t.Errorf("hints: %q", hints)
	}
	_, err = Render(Source{Name: "f", Data: []byte("a: ${A}\n")}, nil)
	if err == nil || err.Error() != "the variable A has no value; it is used at f:1" {
		t.Errorf("got %v", err)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	src := Source{Name: "f", Data: []byte("# ${COMMENT}\na: ${B:=x}\nb: \"${B} $${ESCAPED}\"\nc: ${C:=${D:-${E}}}\nd: ${SET:=${G}}\ne: |\n  # ${H}\n  ${I:0:3} ${J/${K}/${L:=l}}\nf: g # ${COMMENT}\n")}
	got, err := Variables(src, lookup(map[string]string{"SET": "s", "B": "b"}))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, v := range got {
		lines = append(lines, fmt.Sprintf("%s %q %v/%v %v", v.Name, v.Default, v.HasDefault, v.Required, v.Uses))
	}
	want := []string{
		`B "x" true/true [f:2 f:3]`, `C "${D:-${E}}" true/false [f:4]`, `D "${E}" true/false [f:4]`, `E "" false/true [f:4]`, `G "" false/false [f:5]`, `H "" false/true [f:7]`,
		`I "" false/true [f:8]`, `J "" false/true [f:8]`, `K "" false/true [f:8]`, `L "l" true/false [f:8]`, `SET "${G}" true/false [f:5]`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err := Variables(Source{Name: "f", Data: []byte("a: 1\n")}, nil); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	text := "# ${A} ${NOPE} ${A:-x} ${NOPE:=y} ${list[@]} ${\na: \"#${A}\" # ${LINES} ${A}\nb: #${A}\n  x#${A}\n{c: 1}: # ${A\n  |\n  # ${A}\n"
	out, err := Render(Source{Name: "f", Data: []byte(text)}, lookup(map[string]string{"A": "heron", "LINES": "1\n2"}))
	if err != nil {
		t.Fatal(err)
	}
	want := "# heron ${NOPE} heron y ${list[@]} ${\na: \"#heron\" # ${LINES} heron\nb: #heron\n  x#heron\n{c: 1}: # ${A\n  |\n  # heron\n"
	if diff := cmp.Diff(want, string(out.Data)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestUntouched(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a: $x\r\n", "\uFEFFa:   1\n", "a: {{ broken\n", "---\n# x\n---\n---\n"} {
		out, err := Render(Source{Name: "f", Data: []byte(text)}, nil)
		if err != nil || string(out.Data) != text || out.Lines != nil {
			t.Errorf("%q became %q, %v", text, out.Data, err)
		}
	}
	text := "a: {{ broken $${A}\n---\n%x\n---\nb: ${B}\n"
	out, err := Render(Source{Name: "f", Data: []byte(text)}, lookup(map[string]string{"B": "1"}))
	if want := "a: {{ broken ${A}\n---\n%x\n---\nb: 1\n"; err != nil || string(out.Data) != want {
		t.Errorf("got %q, %v", out.Data, err)
	}
}
