// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

func TestPrintError(t *testing.T) {
	t.Parallel()
	list := &fault.List{}
	list.Add(errors.New("variable A is missing"))
	list.Add(fault.WithHint(errors.New("file x.yaml:3: not\nYAML"), "mend x.yaml"))
	cases := []struct {
		name, usage, want string
		err               error
	}{
		{"simple", "", "error: create cluster demo: no route to host\n", errors.New("create cluster demo: no route to host")},
		{
			"hint", "", "error: a\nhint: try b\n",
			fault.WithHint(errors.New("a"), "try b"),
		},
		{"usage", "clusterctl x NAME", "error: a\nusage: clusterctl x NAME\n", errors.New("a")},
		{
			"message of a server with lines", "", "error: apply: admission webhook denied: a b\n",
			errors.New("apply: admission webhook denied:\n\ta\n\n\tb\n"),
		},
		{"escape sequences of others", "", "error: [31mred\n", errors.New("\x1b[31mred\a")},
		{
			"several faults", "", "error: preflight: 2 faults:\n  - variable A is missing\n  - file x.yaml:3: not YAML\nhint: mend x.yaml\n",
			fmt.Errorf("preflight: %w", list),
		},
		{
			"items in a text", "", "error: missing variables:\n  - A (x.yaml:1)\n  - B (x.yaml:2, and more)\n",
			errors.New("missing variables:\n  - A (x.yaml:1)\n  - B (x.yaml:2,\n    and more)"),
		},
		{"nothing to say", "", "error: unknown error\n", errors.New("\n")},
		{"percent signs", "", "error: 100%!d(string=x) %s\n", errors.New("100%!d(string=x) %s")},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			ui.PrintError(&out, c.err, ui.ErrorOptions{Usage: c.usage})
			if out.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), c.want)
			}
		})
	}
}

func TestPrintErrorIsBounded(t *testing.T) {
	t.Parallel()
	list := &fault.List{}
	for i := range 100 {
		list.Add(fmt.Errorf("fault %d %s", i, strings.Repeat("é", 10_000)))
	}
	var out bytes.Buffer
	ui.PrintError(&out, list, ui.ErrorOptions{})
	if out.Len() > 60*2200 || !strings.Contains(out.String(), "and 51 more") || !strings.Contains(out.String(), "more bytes)") {
		t.Errorf("%d bytes: %.300s", out.Len(), out.String())
	}
	if strings.ContainsRune(out.String(), '\uFFFD') || strings.ToValidUTF8(out.String(), "") != out.String() {
		t.Error("a character was cut in two")
	}
}

func TestPrintErrorAsJSON(t *testing.T) {
	t.Parallel()
	list := &fault.List{}
	list.Add(errors.New("a <b>"))
	list.Add(errors.New("c"))
	var out bytes.Buffer
	ui.PrintError(&out, fault.WithHint(fault.WithCode(fault.Refused, list), "h"), ui.ErrorOptions{JSON: true, Usage: "u"})
	if strings.Count(out.String(), "\n") != 1 || strings.Contains(out.String(), "u003c") {
		t.Errorf("not one readable line: %s", out.String())
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "time")
	want := map[string]any{
		"kind": "error", "code": 4.0, "message": "2 faults:", "faults": []any{"a <b>", "c"}, "usage": "u", "hints": []any{"h"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
