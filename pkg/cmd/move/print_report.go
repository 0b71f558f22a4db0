// SPDX-License-Identifier: Apache-2.0

package move

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// kindLine counts the objects of a kind.
type kindLine struct {
	Kind    string `json:"kind"`
	Group   string `json:"group"`
	Version string `json:"version"`
	Moved   int    `json:"moved"`
	Copied  int    `json:"copied"`
}

func kindLines(kinds []plan.KindCount) []kindLine {
	out := make([]kindLine, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, kindLine{k.Kind, k.Group, k.Version, k.Moved, k.Copied})
	}
	return out
}

// printKinds prints a table of kinds. What is copied and stays has a column where there is any.
func printKinds(out io.Writer, kinds []kindLine) error {
	if len(kinds) == 0 {
		return nil
	}
	copied := 0
	for _, k := range kinds {
		copied += k.Copied
	}
	header := []string{"KIND", "GROUP", "OBJECTS"}
	if copied > 0 {
		header = append(header, "OF THEM STAY TOO")
	}
	rows := make([][]string, 0, len(kinds))
	for _, k := range kinds {
		row := []string{k.Kind, k.Group, strconv.Itoa(k.Moved + k.Copied)}
		if k.Group == "" {
			row[1] = "-"
		}
		if copied > 0 {
			row = append(row, strconv.Itoa(k.Copied))
		}
		rows = append(rows, row)
	}
	return ui.Grid(out, header, rows)
}

// reportDocument is a report for machines.
type reportDocument struct {
	ID         string `json:"id,omitempty"`
	RolledBack bool   `json:"rolledBack,omitempty"`
	Objects    int    `json:"objects"`
	// AlreadyThere are those that a restore found on the target.
	AlreadyThere int        `json:"alreadyThere,omitempty"`
	Kinds        []kindLine `json:"kinds"`
	Left         []item     `json:"left"`
	Seconds      float64    `json:"seconds"`
	Requests     struct {
		Source int `json:"source"`
		Target int `json:"target"`
	} `json:"requests"`
	Snapshot  string `json:"snapshot,omitempty"`
	Directory string `json:"directory,omitempty"`
}

func reportOf(r *move.Report) reportDocument {
	doc := reportDocument{
		ID: r.ID, RolledBack: r.RolledBack, Objects: r.Objects, AlreadyThere: r.AlreadyThere, Kinds: kindLines(r.Kinds), Left: stayingItems(r.Left),
		Seconds: r.Took.Seconds(), Snapshot: r.Snapshot, Directory: r.Directory,
	}
	doc.Requests.Source, doc.Requests.Target = r.Requests.Source.Total, r.Requests.Target.Total
	return doc
}

// printReport prints what was done; done is the word for it ("moved").
func printReport(f *cmdutil.Factory, format ui.Format, r *move.Report, done string) error {
	doc := reportOf(r)
	switch format {
	case ui.JSON, ui.YAML:
		text, err := ui.Object("MoveReport", doc)
		if err != nil {
			return err
		}
		return ui.PrintValue(f.Streams.Out, format, text)
	case ui.Name:
		for _, k := range doc.Kinds {
			if _, err := fmt.Fprintln(f.Streams.Out, k.name()); err != nil {
				return err
			}
		}
		return nil
	}
	return printReportTable(f.Streams.Out, format, doc, done)
}

func (k kindLine) name() string {
	if k.Group == "" {
		return k.Kind
	}
	return k.Kind + "." + k.Group
}

func printReportTable(out io.Writer, format ui.Format, doc reportDocument, done string) error {
	if doc.RolledBack {
		_, err := fmt.Fprintf(out, "Rolled back: everything is as it was. %s\n", cost(doc))
		return err
	}
	if err := printKinds(out, doc.Kinds); err != nil {
		return err
	}
	for i, l := range doc.Left {
		if i == mostShown && format != ui.Wide {
			if _, err := fmt.Fprintf(out, "stayed: %d more (-o wide lists all)\n", len(doc.Left)-i); err != nil {
				return err
			}
			break
		}
		if _, err := fmt.Fprintf(out, "stayed: %s: %s\n", itemName(l), l.Why); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("%s %s", counted(doc.Objects-doc.AlreadyThere, "object", "objects"), done)
	if doc.AlreadyThere > 0 {
		text += fmt.Sprintf(", %d were there already", doc.AlreadyThere)
	}
	text += ". " + cost(doc) + "\n"
	if doc.Snapshot != "" {
		text += "As they were before, Secrets in clear text: " + doc.Snapshot + "\nDelete that file when you are sure that you don't need it; nothing else deletes it.\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

func itemName(i item) string {
	if i.Namespace == "" {
		return i.Kind + " " + i.Name
	}
	return i.Kind + " " + i.Namespace + "/" + i.Name
}

// cost is what it took.
func cost(doc reportDocument) string {
	text := "Took " + ui.Duration(time.Duration(doc.Seconds*float64(time.Second)))
	if doc.Requests.Source > 0 {
		text += fmt.Sprintf(", %s to the source", counted(doc.Requests.Source, "request", "requests"))
	}
	if doc.Requests.Target > 0 {
		text += fmt.Sprintf(", %s to the target", counted(doc.Requests.Target, "request", "requests"))
	}
	return text + "."
}
