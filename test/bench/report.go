// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// report is what was measured; parts that weren't are nil.
type report struct {
	start     *startResult
	flow      *flowResult
	bootstrap *bootstrapResult
	install   *installResult
	move      *moveResult
	// containers is nil where it wasn't asked for.
	containers *containersResult

	// command is what measures it.
	command   string
	machine   machine
	began     time.Time
	took      time.Duration
	loadAfter string
}

// markdown is the whole document.
func (r report) markdown() string {
	p := &page{}
	p.add("# Benchmarks", "",
		"Written by `"+r.command+"`, which measures all of it in one run. Not edited by hand.",
		"Times depend on the machine and on what else it does; ratios less so. No test fails because of a number here.", "")
	r.machineSection(p)
	p.add("## Goals", "", "| what | goal | result | met |", "|---|---|---|---|")
	for _, section := range r.sections() {
		section.goals(p)
	}
	p.add("")
	for _, section := range r.sections() {
		section.details(p)
	}
	return p.String()
}

// section is a part of the report: its goals are rows of the first table.
type section interface {
	goals(p *page)
	details(p *page)
}

func (r report) sections() []section {
	var out []section
	if r.start != nil {
		out = append(out, r.start)
	}
	if r.bootstrap != nil {
		out = append(out, r.bootstrap)
	}
	if r.install != nil {
		out = append(out, r.install)
	}
	if r.move != nil {
		out = append(out, r.move)
	}
	if r.containers != nil {
		out = append(out, r.containers)
	}
	if r.flow != nil {
		out = append(out, r.flow)
	}
	return out
}

func (r report) machineSection(p *page) {
	m := r.machine
	p.add("## Machine", "",
		fmt.Sprintf("%d cores (%s), %s of memory, %s, %s.", m.cores, m.cpu, m.memory, m.sys, runtime.Version()), "",
		fmt.Sprintf("Load average (1, 5, 15 minutes) before: %s, after: %s. Measured %s, in %s.",
			m.load, r.loadAfter, r.began.UTC().Format("2006-01-02 15:04 UTC"), r.took.Round(time.Second)), "")
}

// page is text in the making.
type page struct{ strings.Builder }

func (p *page) add(lines ...string) {
	for _, line := range lines {
		p.WriteString(line + "\n")
	}
}

func (p *page) row(cells ...string) { p.add("| " + strings.Join(cells, " | ") + " |") }

// goal adds a row to the table of goals; unit words result and goal.
func (p *page) goal(what string, most, result float64, unit func(float64) string) {
	met := "yes"
	if result > most {
		met = "no"
	}
	p.row(what, "≤ "+unit(most), unit(result), met)
}

// spread starts a table of minimum, median and maximum.
func (p *page) spread(first string) {
	p.add("| "+first+" | min | median | max |", "|---|---|---|---|")
}
