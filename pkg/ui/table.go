// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Grid writes rows under a header in kubectl's look: no borders, three blanks between columns, nothing wrapped.
// Cells may be coloured and may begin with blanks (a tree). Lines have no blanks at their end.
func Grid(out io.Writer, header []string, rows [][]string) error {
	var b bytes.Buffer
	look := tw.Rendition{
		Borders: tw.BorderNone,
		Settings: tw.Settings{
			Separators: tw.SeparatorsNone,
			Lines:      tw.LinesNone,
		},
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: "   ", Overwrite: true}},
	}
	t := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(look)),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithTrimSpace(tw.Off),
	)
	if len(header) > 0 {
		t.Header(header)
	}
	if err := t.Bulk(rows); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	if err := t.Render(); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	_, err := out.Write(trimLines(b.Bytes()))
	return err
}

// trimLines takes away the padding of the last column, and the resets of colours that are not on:
// the library puts one before the cell that follows a coloured one.
func trimLines(text []byte) []byte {
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		out.WriteString(strings.TrimRight(dropResets(line), " \n") + "\n")
	}
	return []byte(out.String())
}

func dropResets(line string) string {
	var out strings.Builder
	on := false
	for {
		before, after, found := strings.Cut(line, "\x1b[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		code, rest, _ := strings.Cut(after, "m")
		if on || code != "0" {
			out.WriteString("\x1b[" + code + "m")
		}
		on = code != "0"
		line = rest
	}
}
