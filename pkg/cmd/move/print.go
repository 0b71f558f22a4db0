// SPDX-License-Identifier: Apache-2.0

package move

import (
	"fmt"
	"strconv"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// item is a line of a plan: an object that goes, or one that stays.
type item struct {
	Level     int    `json:"level"`
	Group     string `json:"group"`
	Version   string `json:"version,omitempty"`
	Kind      string `json:"objectKind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Mode is move, copy or stay.
	Mode    string `json:"mode"`
	Cluster string `json:"cluster,omitempty"`
	Why     string `json:"why"`
	// Lost says of what stays that the source's garbage collector will delete it.
	Lost bool `json:"lost,omitempty"`
}

func items(p *plan.Plan) []item {
	var out []item
	for _, o := range p.Objects {
		i := item{Level: o.Level, Group: o.Group, Version: o.Version, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Mode: string(o.Mode), Why: o.Why}
		if o.Cluster.Name != "" {
			i.Cluster = o.Cluster.String()
		}
		out = append(out, i)
	}
	for _, l := range p.Left {
		out = append(out, item{Level: -1, Group: l.Group, Kind: l.Kind, Namespace: l.Namespace, Name: l.Name, Mode: "stay", Why: l.Why, Lost: l.Lost})
	}
	return out
}

func printPlan(f *cmdutil.Factory, format ui.Format, p *plan.Plan) error {
	type col = ui.Column[item]
	err := ui.Print(f.Streams, format, ui.Listing[item]{
		Kind: "MovePlanItem", Items: items(p), Empty: "Nothing to move.",
		Name: func(i item) string { return i.Kind + "/" + i.Namespace + "/" + i.Name },
		Columns: []col{
			{Name: "LEVEL", Value: func(i item) string {
				if i.Level < 0 {
					return "-"
				}
				return strconv.Itoa(i.Level)
			}},
			{Name: "KIND", Value: func(i item) string { return i.Kind }},
			{Name: "NAMESPACE", Value: func(i item) string { return i.Namespace }},
			{Name: "NAME", Value: func(i item) string { return i.Name }},
			{Name: "MODE", Value: func(i item) string { return i.Mode }},
			{Name: "WHY", Value: func(i item) string { return i.Why }},
			{Name: "GROUP", Wide: true, Value: func(i item) string { return i.Group }},
			{Name: "CLUSTER", Wide: true, Value: func(i item) string { return i.Cluster }},
		},
	})
	if err == nil {
		event.Notef(f.View(), "%s", totals(p))
	}
	return err
}

// kindLine is a line of a report.
type kindLine struct {
	Kind    string `json:"objectKind"`
	Group   string `json:"group"`
	Version string `json:"version"`
	Moved   int    `json:"moved"`
	Copied  int    `json:"copied"`
}

// result is a report for machines.
type result struct {
	ID         string     `json:"id,omitempty"`
	RolledBack bool       `json:"rolledBack,omitempty"`
	Objects    int        `json:"objects"`
	Kinds      []kindLine `json:"kinds,omitempty"`
	Left       []item     `json:"left,omitempty"`
	Seconds    float64    `json:"seconds"`
	Requests   struct {
		Source int `json:"source"`
		Target int `json:"target"`
	} `json:"requests"`
	Snapshot  string `json:"snapshot,omitempty"`
	Directory string `json:"directory,omitempty"`
}

func resultOf(r *move.Report) result {
	out := result{ID: r.ID, RolledBack: r.RolledBack, Objects: r.Objects, Seconds: r.Took.Seconds(), Snapshot: r.Snapshot, Directory: r.Directory}
	for _, k := range r.Kinds {
		out.Kinds = append(out.Kinds, kindLine{k.Kind, k.Group, k.Version, k.Moved, k.Copied})
	}
	out.Left = items(&plan.Plan{Left: r.Left})
	out.Requests.Source, out.Requests.Target = r.Requests.Source.Total, r.Requests.Target.Total
	return out
}

func printReport(f *cmdutil.Factory, format ui.Format, r *move.Report) error {
	res := resultOf(r)
	switch format {
	case "json", "yaml":
		text, err := ui.Object("MoveReport", res)
		if err != nil {
			return err
		}
		return ui.PrintValue(f.Streams.Out, format, text)
	case "name":
		for _, k := range res.Kinds {
			if _, err := fmt.Fprintf(f.Streams.Out, "%s.%s\n", k.Kind, k.Group); err != nil {
				return err
			}
		}
		return nil
	}
	if len(res.Kinds) > 0 {
		rows := make([][]string, 0, len(res.Kinds))
		for _, k := range res.Kinds {
			rows = append(rows, []string{k.Kind, k.Group, strconv.Itoa(k.Moved), strconv.Itoa(k.Copied)})
		}
		if err := ui.Grid(f.Streams.Out, []string{"KIND", "GROUP", "MOVED", "COPIED"}, rows); err != nil {
			return err
		}
	}
	for _, l := range res.Left {
		if _, err := fmt.Fprintf(f.Streams.Out, "stays: %s %s/%s: %s\n", l.Kind, l.Namespace, l.Name, l.Why); err != nil {
			return err
		}
	}
	verb := "moved"
	switch {
	case r.RolledBack:
		verb = "concerned by a move that is rolled back"
	case r.Directory != "":
		verb = "written to " + r.Directory
	}
	_, err := fmt.Fprintf(f.Streams.Out, "%d objects %s in %s; %d requests to the source, %d to the target\n", res.Objects, verb, ui.Duration(r.Took), res.Requests.Source, res.Requests.Target)
	return err
}
