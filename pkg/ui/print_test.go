// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

type machine struct {
	Name  string `json:"name"`
	Phase string `json:"phase,omitempty"`
	Node  string `json:"node,omitempty"`
}

func listing(items ...machine) ui.Listing[machine] {
	return ui.Listing[machine]{
		Kind: "Machine", Items: items, Empty: "No machines found.",
		Name: func(m machine) string { return "machine/" + m.Name },
		Columns: []ui.Column[machine]{
			{Name: "NAME", Value: func(m machine) string { return m.Name }},
			{Name: "NODE", Wide: true, Value: func(m machine) string { return m.Node }},
			{Name: "PHASE", Value: func(m machine) string { return m.Phase }},
		},
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	full := listing(machine{"demo-cp", "Running", "n1"}, machine{"演示-工作", "<Pending>", ""}, machine{Name: "x"})
	for _, c := range []struct {
		name string
		list ui.Listing[machine]
	}{{"full", full}, {"empty", listing()}} {
		for _, format := range ui.Formats() {
			t.Run(c.name+"-"+string(format), func(t *testing.T) {
				t.Parallel()
				var out, errOut bytes.Buffer
				if err := ui.Print(ui.Streams{Out: &out, ErrOut: &errOut}, format, c.list); err != nil {
					t.Fatal(err)
				}
				golden(t, "print-"+c.name+"-"+string(format)+".txt", out.String()+"--- standard error\n"+errOut.String())
			})
		}
	}
}

func TestGridHasNoBlanksAtTheEnd(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	red := ui.Palette{On: true}.Red
	rows := [][]string{
		{"Cluster/demo", red("False"), "10m", "waiting for the control plane"},
		{"├─ControlPlane/demo", "True", "9m", ""},
		{"│ └─Machine/demo-cp", red("False"), "", ""},
		{"  └─leading blanks", "a  b", "1", "x   "},
	}
	if err := ui.Grid(&out, []string{"NAME", "READY", "SINCE", "MESSAGE"}, rows); err != nil {
		t.Fatal(err)
	}
	golden(t, "grid.txt", out.String())
	for line := range strings.Lines(out.String()) {
		if strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		value any
		want  string
		err   bool
	}{
		{"struct", machine{Name: "a"}, `{"apiVersion":"clusterctl/v1","kind":"M","name":"a"}`, false},
		{"empty", struct{}{}, `{"apiVersion":"clusterctl/v1","kind":"M"}`, false},
		{"list", []int{1}, "", true},
		{"unprintable", func() {}, "", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := ui.Object("M", c.value)
			if string(got) != c.want || (err != nil) != c.err {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}
