// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// Column is one column of a listing.
type Column[T any] struct {
	// Name is the heading, in capitals.
	Name string
	// Wide shows the column with -o wide only.
	Wide bool
	// Value is the cell of an item; empty is shown as "-".
	Value func(T) string
}

// Listing is what a listing command found. Its items are printed as they are in JSON and YAML.
type Listing[T any] struct {
	// Kind is the kind of one item, for example "Bootstrap"; the whole is a "BootstrapList".
	Kind string
	// Items are in the order in which they are shown.
	Items []T
	// Columns are those of the table.
	Columns []Column[T]
	// Name is the item's name for -o name, for example "bootstrap/demo" or only "demo".
	Name func(T) string
	// Empty is the line for people when there are no items, for example "No bootstrap clusters found.".
	Empty string
}

// document is a listing as JSON and YAML.
type document[T any] struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []T    `json:"items"`
}

// Print writes a listing to s.Out. Without items a table is nothing but a line on s.ErrOut; JSON and YAML have an empty list.
func Print[T any](s Streams, format Format, l Listing[T]) error {
	switch format {
	case JSON, YAML:
		items := l.Items
		if items == nil {
			items = []T{}
		}
		return PrintValue(s.Out, format, document[T]{APIVersion: APIVersion, Kind: l.Kind + "List", Items: items})
	case Name:
		return l.names(s.Out)
	}
	if len(l.Items) == 0 {
		if l.Empty != "" {
			_, _ = fmt.Fprintln(s.ErrOut, l.Empty)
		}
		return nil
	}
	return l.table(s.Out, format == Wide)
}

func (l Listing[T]) names(out io.Writer) error {
	var b bytes.Buffer
	for _, item := range l.Items {
		b.WriteString(l.Name(item) + "\n")
	}
	_, err := out.Write(b.Bytes())
	return err
}

func (l Listing[T]) table(out io.Writer, wide bool) error {
	var header []string
	rows := make([][]string, len(l.Items))
	for _, c := range l.Columns {
		if c.Wide && !wide {
			continue
		}
		header = append(header, c.Name)
		for i, item := range l.Items {
			cell := c.Value(item)
			if cell == "" {
				cell = "-"
			}
			rows[i] = append(rows[i], cell)
		}
	}
	return Grid(out, header, rows)
}

// PrintValue writes any value as JSON or YAML. It should have apiVersion and kind ([Object] adds them).
func PrintValue(out io.Writer, format Format, value any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("print %s: %w", format, err)
	}
	text := b.Bytes()
	if format == YAML {
		var err error
		if text, err = yaml.JSONToYAML(text); err != nil {
			return fmt.Errorf("print %s: %w", format, err)
		}
	}
	_, err := out.Write(text)
	return err
}

// Object puts apiVersion and kind before the fields of value, which must be a struct or a map.
func Object(kind string, value any) (json.RawMessage, error) {
	head, err := json.Marshal(map[string]string{"apiVersion": APIVersion, "kind": kind})
	if err != nil {
		return nil, fmt.Errorf("print %s: %w", kind, err)
	}
	body, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("print %s: %w", kind, err)
	}
	if !bytes.HasPrefix(body, []byte("{")) {
		return nil, fmt.Errorf("print %s: not an object", kind)
	}
	if bytes.Equal(body, []byte("{}")) {
		return head, nil
	}
	return append(append(head[:len(head)-1:len(head)-1], ','), body[1:]...), nil
}
