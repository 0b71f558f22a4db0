// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func configMap(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
}

// names lists the objects of a source as "line/name".
func names(objs []Object) string {
	var out []string
	for _, o := range objs {
		out = append(out, fmt.Sprintf("%d/%s", o.Origin.Line, o.GetName()))
	}
	return strings.Join(out, " ")
}

func TestParseDocuments(t *testing.T) {
	t.Parallel()
	a, b := configMap("a"), configMap("b")
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                        {"", ""},
		"white space":                    {" \n\n\t\n", ""},
		"comments":                       {"# a\n---\n# b\n", ""},
		"null":                           {"---\nnull\n---\n~\n...\n", ""},
		"two":                            {a + "---\n" + b, "1/a 5/b"},
		"separators around":              {"---\n---\n" + a + "---\n---\n" + b + "---\n", "3/a 8/b"},
		"separator with comment":         {"--- # x\n" + a + "---\t# y\n" + b, "2/a 6/b"},
		"separator with spaces":          {a + "---   \n" + b, "1/a 5/b"},
		"content behind separator":       {"--- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n--- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}", "1/a 2/b"},
		"document end":                   {a + "...\n" + b + "...\n", "1/a 5/b"},
		"document end and start":         {a + "...\n---\n" + b, "1/a 6/b"},
		"no line end":                    {a + "---\n" + strings.TrimSuffix(b, "\n"), "1/a 5/b"},
		"four dashes are content":        {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  ---- : x\n", "1/a"},
		"dashes in a literal":            {a + "data:\n  x: |\n    ---\n    y\n---\n" + b, "1/a 9/b"},
		"directive":                      {"%YAML 1.1\n---\n" + a + "...\n%YAML 1.1\n# c\n---\n" + b, "3/a 10/b"},
		"directive of a tag":             {"%TAG !k! tag:yaml.org,2002:\n---\napiVersion: !k!str v1\nkind: ConfigMap\nmetadata: {name: a}\n", "3/a"},
		"JSON":                           {`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}` + "\n---\n" + b, "1/a 3/b"},
		"JSON one after the other":       {`{"apiVersion":"v1","kind":"C","metadata":{"name":"a"}}{"apiVersion":"v1","kind":"C","metadata":{"name":"b"}}`, "1/a 1/b"},
		"JSON behind a separator":        {"---\n" + `{"apiVersion":"v1","kind":"C",` + "\n" + `"metadata":{"name":"a"}}`, "2/a"},
		"flow YAML that is nearly JSON":  {"{apiVersion: v1, kind: C, metadata: {name: a}} # c", "1/a"},
		"tabs in JSON":                   {"{\n\t\"apiVersion\":\t\"v1\",\n\t\"kind\": \"C\",\n\t\"metadata\": {\"name\": \"a\"}\n}", "1/a"},
		"list":                           {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: C, metadata: {name: a}}\n- {apiVersion: v1, kind: C, metadata: {name: b}}\n", "4/a 5/b"},
		"empty list":                     {"apiVersion: v1\nkind: List\nitems: []\n", ""},
		"list of nothing":                {"apiVersion: v1\nkind: List\nitems:\n", ""},
		"object whose kind ends in List": {"apiVersion: x/v1\nkind: AllowList\nmetadata: {name: a}\nitems: []\n", "1/a"},
		"byte order marks inside":        {"\uFEFF" + a + "\uFEFF---\n" + b, "1/a 5/b"},
		"lone carriage return":           {"apiVersion: v1\rkind: ConfigMap\rmetadata: {name: a}\n---\n" + b, "1/a 3/b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for form, data := range map[string][]byte{
				"LF": []byte(c.text), "CRLF": []byte(strings.ReplaceAll(c.text, "\n", "\r\n")), "BOM": []byte(byteOrderMark + c.text),
				"UTF-16LE": utf16Text(c.text, binary.LittleEndian), "UTF-16BE": utf16Text(c.text, binary.BigEndian),
			} {
				objs, err := Parse(Source{Name: "f", Data: data})
				if err != nil {
					t.Errorf("%s: %v", form, err)
				} else if got := names(objs); got != c.want {
					t.Errorf("%s: got %q, want %q", form, got, c.want)
				}
			}
		})
	}
}

func utf16Text(text string, order binary.ByteOrder) []byte {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(byteOrderMark + text)) {
		_ = binary.Write(&b, order, u)
	}
	return b.Bytes()
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	head := "# 1\n---\n# 3\n"
	for name, c := range map[string]struct{ text, want string }{
		"nested duplicate":      {head + configMap("a") + "data:\n  x: secret\n  y: 1\n  x: secret\n", `f:10: duplicate mapping key "x", first in line 8`},
		"duplicate by type":     {head + configMap("a") + "data: {1: a, \"1\": b}\n", `f:7: duplicate mapping key "1", first in line 7`},
		"no separator":          {head + configMap("a") + configMap("b"), `f:7: duplicate mapping key "apiVersion", first in line 4: two objects without --- between them`},
		"kind twice":            {head + "kind: A\nkind: B\n", `f:5: duplicate mapping key "kind", first in line 4: two objects without --- between them`},
		"no kind":               {head + "\n\napiVersion: v1\nmetadata: {name: a}\n", "f:6: the document has no kind"},
		"no name":               {head + "apiVersion: v1\nkind: X\n", `f:4: the object of kind "X" has no metadata.name`},
		"empty object":          {head + "{}\n", "f:4: the document has no apiVersion, no kind, no metadata.name"},
		"text":                  {head + "secret\n", "f:4: is not an object but a string"},
		"numbers as version":    {head + "apiVersion: 1\nkind: X\nmetadata: {name: a}\n", "f:4: apiVersion is a number, not a string"},
		"list member":           {head + "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: X, metadata: {name: a}}\n- {kind: X}\n", `f:8: the object of kind "X" has no apiVersion, no metadata.name`},
		"indentation":           {head + "a:\n  b: 1\n c: 2\n", "f:6: is not valid YAML: did not find expected key"},
		"colon in value":        {head + "a: b: secret\n", "f:4: is not valid YAML: mapping values are not allowed in this context"},
		"open quote":            {head + "a: 1\nb: \"secret\nc: 2\n", "f:5: is not valid YAML: found unexpected end of stream"},
		"no colon":              {head + "a: 1\nsecret\nb: 2\n", "f:5: is not valid YAML: did not find expected ':'"},
		"control character":     {head + "a: 1\nb: \x01secret\n", "f:5: is not valid YAML: has a control character"},
		"not UTF-8":             {head + "a: 1\nb: \xff\n", "f:5: is not UTF-8 text"},
		"infinity":              {head + configMap("a") + "x: .inf\n", "f:7: the value is a number that JSON doesn't know (infinite or not a number)"},
		"wrong tag":             {head + configMap("a") + "x: !!int secret\n", "f:7: the value is not what its tag !!int says"},
		"complex key":           {head + configMap("a") + "? [a]\n: b\n", "f:7: a mapping key must be a string"},
		"merge of text":         {head + configMap("a") + "x: {<<: secret}\n", "f:7: the merge key << takes a mapping or a list of mappings"},
		"alias of itself":       {head + configMap("a") + "x: &a [*a]\n", "f:4: an anchor (&name) holds an alias (*name) of itself"},
		"JSON duplicate":        {head + "{\"a\":1,\n\"a\":2}\n", `f:5: duplicate mapping key "a", first in line 4`},
		"two flow documents":    {head + "{a: 1} {b: 1}\n", "f:4: is not valid YAML: did not find expected <document start>"},
		"lone carriage returns": {head + "a: 1\rb: 2\na: 3\n", `f:5: duplicate mapping key "a", first in line 4`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objs, err := Parse(Source{Name: "f", Data: []byte(c.text)})
			if err == nil {
				t.Fatalf("no error, but %s", names(objs))
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if fault.CodeOf(err) != fault.Usage {
				t.Errorf("class %d", fault.CodeOf(err))
			}
			if strings.Contains(fmt.Sprint(err, fault.Hints(err)), "secret") {
				t.Error("the error shows a value")
			}
		})
	}
}

func TestParseNotText(t *testing.T) {
	t.Parallel()
	_, err := Parse(Source{Name: "f", Data: []byte("a: \x00")})
	if err == nil || err.Error() != "read f: is not text" {
		t.Errorf("got %v", err)
	}
}

func TestParseAliasBombs(t *testing.T) {
	t.Parallel()
	bomb := configMap("a") + "x0: &x0 [" + strings.TrimSuffix(strings.Repeat("lol, ", 9), ", ") + "]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("x%d: &x%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d, ", i), 9), ", "))
	}
	long := configMap("a") + "x: &x " + strings.Repeat("a", 1<<20) + "\ny: [" + strings.Repeat("*x, ", 100) + "]\n"
	deep := configMap("a") + "x0: &x0 " + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "\n"
	for i := range 20 {
		deep += fmt.Sprintf("x%d: &x%d %s*x%d%s\n", i+1, i+1, strings.Repeat("[", 900), i, strings.Repeat("]", 900))
	}
	for name, text := range map[string]string{"many": bomb, "long": long, "deep": deep} {
		_, err := Parse(Source{Name: "f", Data: []byte(text)})
		if err == nil || !strings.HasPrefix(err.Error(), "f:1: its aliases") && !strings.HasPrefix(err.Error(), "f:1: it is nested") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	one, err := Parse(Source{Name: "one", Data: []byte(configMap("a") + "---\n" + configMap("b"))})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Parse(Source{Name: "two", Data: []byte("---\n" + configMap("a") + "---\n" + configMap("a, namespace: ns") + "---\napiVersion: x/v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: x/v2\nkind: ConfigMap\nmetadata: {name: a}\n")})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(one); err != nil {
		t.Errorf("got %v", err)
	}
	err = Check(append(one, two...))
	var faults *fault.List
	if !errors.As(err, &faults) || len(faults.Faults) != 2 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []string{"two:2: ConfigMap a is there twice, first at one:1", "two:14: ConfigMap.x a is there twice, first at two:10"} {
		if got := faults.Faults[i].Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestOriginAndUnwrap(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(Origin{File: "f", Line: 3}, " ", Origin{File: "f"}); got != "f:3 f" {
		t.Errorf("got %q", got)
	}
	objs, err := Parse(Source{Name: "f", Data: []byte(configMap("a"))})
	if err != nil {
		t.Fatal(err)
	}
	if got := Unwrap(objs); len(got) != 1 || got[0] != objs[0].Unstructured {
		t.Errorf("got %v", got)
	}
}
