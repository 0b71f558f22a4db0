// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// The goals for clusters of containers.
const (
	limitByHand    = 0.8
	limitLocalKind = 0.25
)

func (c *containersResult) goals(p *page) {
	p.goal(fmt.Sprintf("from nothing to a self-managed cluster of containers, compared with kind and upstream's by a script; median of %d pairs", len(c.pairs)),
		limitByHand, c.of(containersPair.ratio).median(), inRatio)
	p.goal("from nothing to four providers, a local bootstrap cluster compared with kind and cert-manager", limitLocalKind, c.local.total().Seconds()/c.kindCM.total().Seconds(), inRatio)
}

// of is a number of each pair.
func (c *containersResult) of(number func(containersPair) float64) series {
	var out series
	for _, pair := range c.pairs {
		out = append(out, number(pair))
	}
	return out
}

func (c *containersResult) details(p *page) {
	p.add("## A self-managed cluster of containers", "")
	p.add("One control plane machine and one worker, that manage themselves in the end, and no bootstrap cluster left. Clusterctl: one command, `create cluster prod",
		fmt.Sprintf("--infrastructure docker …`. By hand: [containers.sh](../test/bench/containers.sh), %d command lines: the 8 of upstream's documentation, and to load the images, to", c.commands),
		"apply the addons and to wait; a person's pauses between them aren't counted. Both ways run in pairs, and take turns in who begins. Images are in the engine and loaded into",
		"all nodes. Upstream's needs cert-manager, twice; clusterctl makes the webhooks' certificates itself, and its nodes get no images of cert-manager. Both API servers of both",
		"ways keep an audit log; the script's requests are those of kubectl and upstream's clusterctl.", "")
	head, line := "| done after |", "|---|"
	for i := range c.pairs {
		head, line = head+fmt.Sprintf(" pair %d |", i+1), line+"---|"
	}
	p.add(head, line)
	c.row(p, "**clusterctl**", func(pair containersPair) float64 { return pair.ours.wall.Seconds() }, inS)
	for i, s := range c.pairs[0].stages {
		name := "by hand: " + s.name
		if s.name == "done" {
			name = "**by hand**"
		}
		c.row(p, name, func(pair containersPair) float64 { return pair.stages[i].at.Seconds() }, inS)
	}
	c.row(p, "**clusterctl / by hand**", containersPair.ratio, inRatio)
	p.add("", "| median | clusterctl | by hand |", "|---|---|---|")
	p.row("commands", "1", fmt.Sprint(c.commands))
	whole := func(number func(containersPair) int) string {
		return fmt.Sprintf("%.0f", c.of(func(pair containersPair) float64 { return float64(number(pair)) }).median())
	}
	p.row("requests to the management cluster", whole(func(pair containersPair) int { return pair.management }), whole(func(pair containersPair) int { return pair.handManagement }))
	p.row("requests to the new cluster", whole(func(pair containersPair) int { return pair.workload }), whole(func(pair containersPair) int { return pair.handWorkload }))
	p.row("memory of clusterctl", inMiB(c.of(func(pair containersPair) float64 { return pair.ours.rss }).median()), "not measured")
	c.bootstraps(p)
}

// row is one number of all pairs.
func (c *containersResult) row(p *page, name string, number func(containersPair) float64, show func(float64) string) {
	cells := []string{name}
	for _, x := range c.of(number) {
		cells = append(cells, show(x))
	}
	p.row(cells...)
}

func (c *containersResult) bootstraps(p *page) {
	p.add("",
		"## The bootstrap clusters", "",
		fmt.Sprintf("`create bootstrap` and `init --infrastructure docker`, until all four providers serve. Memory %s later: of the", rest),
		"container of the kind cluster, of the processes of the local one (proportional set size).", "",
		"| | create bootstrap | init | both | memory |", "|---|---|---|---|---|")
	for _, r := range []struct {
		name string
		bootstrapRun
	}{{"kind, with cert-manager", c.kindCM}, {"kind, certificates of our own", c.kind}, {"local", c.local}} {
		p.row(r.name, seconds(r.create), seconds(r.init), seconds(r.total()), inMiB(r.memory))
	}
	p.add("")
}
