// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"
)

// The goals for clusters of containers.
const (
	limitByHand    = 0.8
	limitLocalKind = 0.25
)

func (c *containersResult) goals(p *page) {
	p.goal("from nothing to a self-managed cluster of containers, compared with kind and upstream's by a script", limitByHand, c.ours.wall.Seconds()/c.byHand().Seconds(), inRatio)
	p.goal("from nothing to four providers, a local bootstrap cluster compared with kind and cert-manager", limitLocalKind, c.local.total().Seconds()/c.kindCM.total().Seconds(), inRatio)
}

func (c *containersResult) details(p *page) {
	p.add("## A self-managed cluster of containers", "")
	p.add("One control plane machine and one worker, that manage themselves in the end, and no bootstrap cluster left; once each. Clusterctl: one command, `create cluster prod",
		"--infrastructure docker …`. By hand: [containers.sh](../test/bench/containers.sh), 12 command lines: the 8 of upstream's documentation, and to load the images, to",
		"apply the addons and to wait; a person's pauses between them aren't counted. Images are in the engine and loaded into all nodes. Upstream's needs",
		"cert-manager, twice; clusterctl makes the webhooks' certificates itself, and its nodes get no images of cert-manager. Both API servers of both ways keep an audit log; the script's requests are those of kubectl and upstream's clusterctl.", "",
		"| | done after |", "|---|---|")
	p.row("**clusterctl**", seconds(c.ours.wall))
	for _, s := range c.stages {
		name := "by hand: " + s.name
		if s.name == "done" {
			name = "**by hand**"
		}
		p.row(name, seconds(s.at))
	}
	p.add("", "| | clusterctl | by hand |", "|---|---|---|")
	p.row("commands", "1", "12")
	p.row("requests to the management cluster", fmt.Sprint(c.management), fmt.Sprint(c.handManagement))
	p.row("requests to the new cluster", fmt.Sprint(c.workload), fmt.Sprint(c.handWorkload))
	p.row("memory of clusterctl", inMiB(c.ours.rss), "not measured")
	p.add("", fmt.Sprintf("Clusterctl takes %s of the script's time.", inRatio(c.ours.wall.Seconds()/c.byHand().Seconds())), "",
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

// byHand is when the script was done with everything.
func (c *containersResult) byHand() time.Duration {
	return c.stages[len(c.stages)-1].at
}
