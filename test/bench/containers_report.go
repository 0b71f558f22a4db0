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
	if c.left != "" {
		return
	}
	p.goal("from nothing to a self-managed cluster of containers, compared with kind and upstream's by a script", limitByHand, c.ours.wall.Seconds()/c.byHand().Seconds(), inRatio)
	p.goal("from nothing to four providers, a local bootstrap cluster compared with kind and cert-manager", limitLocalKind, c.local.total().Seconds()/c.kindCM.total().Seconds(), inRatio)
}

func (c *containersResult) details(p *page) {
	p.add("## A self-managed cluster of containers", "")
	if c.left != "" {
		p.add("Not measured: "+c.left+".", "")
		return
	}
	p.add("One control plane machine and one worker, that manage themselves in the end, and no bootstrap cluster left; once each. Clusterctl: one command, `create cluster prod",
		"--infrastructure docker …`. By hand: [containers.sh](../test/bench/containers.sh), the steps that upstream's documentation has a person type (8 and more), without a pause between",
		"them. Images are in the engine. Upstream's installs cert-manager, twice; clusterctl makes the webhooks' certificates itself.", "",
		"| | done after |", "|---|---|")
	p.row("**clusterctl**", seconds(c.ours.wall))
	for _, s := range c.stages {
		name := "by hand: " + s.name
		if s.name == "done" {
			name = "**by hand**"
		}
		p.row(name, seconds(s.at))
	}
	p.add("", fmt.Sprintf("Clusterctl takes %s of the script's time, sends %d requests to the management cluster and %d to the new one, and takes %s of memory.",
		inRatio(c.ours.wall.Seconds()/c.byHand().Seconds()), c.management, c.workload, inMiB(c.ours.rss)), "",
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
