// SPDX-License-Identifier: Apache-2.0

package move

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// item is an object that goes, or one that stays.
type item struct {
	Level     *int   `json:"level,omitempty"`
	Group     string `json:"group"`
	Version   string `json:"version,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Mode is move, copy or stay.
	Mode    string `json:"mode"`
	Cluster string `json:"cluster,omitempty"`
	Why     string `json:"why"`
	// Lost says of what stays that the source's garbage collector will delete it.
	Lost bool `json:"lost,omitempty"`
}

func goingItems(p *plan.Plan) []item {
	out := make([]item, 0, len(p.Objects))
	for _, o := range p.Objects {
		i := item{Level: &o.Level, Group: o.Group, Version: o.Version, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Mode: string(o.Mode), Why: o.Why}
		if o.Cluster.Name != "" {
			i.Cluster = o.Cluster.String()
		}
		out = append(out, i)
	}
	return out
}

func stayingItems(left []plan.Left) []item {
	out := make([]item, 0, len(left))
	for _, l := range left {
		out = append(out, item{Group: l.Group, Kind: l.Kind, Namespace: l.Namespace, Name: l.Name, Mode: "stay", Why: l.Why, Lost: l.Lost})
	}
	return out
}

// planDocument is a plan for machines.
type planDocument struct {
	Clusters   []string   `json:"clusters"`
	Namespaces []string   `json:"namespaces"`
	Kinds      []kindLine `json:"kinds"`
	Objects    []item     `json:"objects"`
	Left       []item     `json:"left"`
	// Remaining are clusters that the source goes on managing.
	Remaining []string `json:"remaining"`
	Warnings  []string `json:"warnings,omitempty"`
	Faults    []string `json:"faults,omitempty"`
}

func documentOf(p *plan.Plan, faults error) planDocument {
	doc := planDocument{
		Clusters: []string{}, Namespaces: orNone(p.Namespaces), Kinds: kindLines(p.Summary()), Objects: goingItems(p), Left: stayingItems(p.Left),
		Remaining: namesOf(p.Remaining), Warnings: p.Warnings,
	}
	for _, c := range p.Clusters() {
		doc.Clusters = append(doc.Clusters, c.Namespace+"/"+c.Name)
	}
	if faults != nil {
		var list fault.List
		list.Add(faults)
		for _, f := range list.Faults {
			doc.Faults = append(doc.Faults, f.Error())
		}
	}
	return doc
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func namesOf(list []types.NamespacedName) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = n.String()
	}
	return out
}

// printPlanAndFaults prints the plan of a dry run, if there is one, and returns the faults, which come behind it.
func printPlanAndFaults(f *cmdutil.Factory, format ui.Format, p *plan.Plan, faults error) error {
	if p == nil {
		return faults
	}
	if err := printPlan(f, format, p, faults); err != nil {
		return err
	}
	return faults
}

func printPlan(f *cmdutil.Factory, format ui.Format, p *plan.Plan, faults error) error {
	switch format {
	case ui.JSON, ui.YAML:
		doc, err := ui.Object("MovePlan", documentOf(p, faults))
		if err != nil {
			return err
		}
		return ui.PrintValue(f.Streams.Out, format, doc)
	case ui.Wide, ui.Name:
		tellSummary(f, p)
		return ui.Print(f.Streams, format, itemListing(append(goingItems(p), stayingItems(p.Left)...)))
	}
	if err := printKinds(f.Streams.Out, kindLines(p.Summary())); err != nil {
		return err
	}
	tellTotals(f, p)
	return nil
}

func itemListing(items []item) ui.Listing[item] {
	type col = ui.Column[item]
	return ui.Listing[item]{
		Kind: "MovePlanItem", Items: items, Empty: "Nothing to move.",
		Name: func(i item) string {
			kind := i.Kind
			if i.Group != "" {
				kind += "." + i.Group
			}
			return strings.Join(append([]string{kind}, nonEmpty(i.Namespace, i.Name)...), "/")
		},
		Columns: []col{
			{Name: "LEVEL", Value: func(i item) string {
				if i.Level == nil {
					return ""
				}
				return strconv.Itoa(*i.Level)
			}},
			{Name: "KIND", Value: func(i item) string { return i.Kind }},
			{Name: "NAMESPACE", Value: func(i item) string { return i.Namespace }},
			{Name: "NAME", Value: func(i item) string { return i.Name }},
			{Name: "MODE", Value: func(i item) string { return i.Mode }},
			{Name: "WHY", Value: func(i item) string { return i.Why }},
		},
	}
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// mostShown is how many objects that stay are shown with their reasons; -o wide shows all.
const mostShown = 10

// tellTotals tells people what goes and what stays.
func tellTotals(f *cmdutil.Factory, p *plan.Plan) {
	tellSummary(f, p)
	for i, l := range p.Left {
		if i == mostShown {
			event.Notef(f.View(), "stays: %d more (--dry-run -o wide lists all)", len(p.Left)-i)
			break
		}
		event.Notef(f.View(), "stays: %s: %s", l.Key, l.Why)
	}
	if n := len(p.Remaining); n > 0 {
		names := namesOf(p.Remaining)
		if n > mostShown {
			names = append(names[:mostShown:mostShown], fmt.Sprintf("%d more", n-mostShown))
		}
		event.Notef(f.View(), "%s on the source: %s", counted(n, "cluster goes on", "clusters go on"), strings.Join(names, ", "))
	}
}

func tellSummary(f *cmdutil.Factory, p *plan.Plan) {
	var kinds []string
	for _, k := range p.Summary() {
		kinds = append(kinds, fmt.Sprintf("%d %s", k.Moved+k.Copied, k.Kind))
	}
	event.Notef(f.View(), "%s, %s in %s: %s", counted(len(p.Clusters()), "cluster", "clusters"), counted(len(p.Objects), "object", "objects"),
		counted(len(p.Namespaces), "namespace", "namespaces"), strings.Join(kinds, ", "))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
