// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/clusterctl/clusterctl/test/graph"
)

func (m *moveResult) goals(p *page) {
	p.goal("move: 2,900 objects, compared with a bare client that sends only the writes", limitBare, m.ours.wall.Seconds()/m.bare.wall.Seconds(), inRatio)
	p.goal("move: the same, compared with upstream's", limitUpstream, m.ours.wall.Seconds()/m.upstream.wall.Seconds(), inRatio3)
	p.goal(fmt.Sprintf("move: 580 objects, %s more for every round trip, compared with upstream's", farDelay), limitFar, m.oursFar.wall.Seconds()/m.upstreamFar.wall.Seconds(), inRatio3)
	p.goal("move: requests per object, both sides, all phases", limitMoveRequests, float64(m.ours.requests)/float64(m.ours.objects()), inRatio)
	p.goal("move: memory at 2,900 objects, compared with upstream's", m.upstream.rss, m.ours.rss, inMiB)
	if m.oursBig.clusters > 0 {
		p.goal("move: time per object at 29,000 objects, compared with 2,900", limitGrowth, m.oursBig.perObject()/m.ours.perObject(), inRatio)
		p.goal("move: memory at 29,000 objects", limitBig, m.oursBig.rss, inMiB)
	}
}

func (m *moveResult) details(p *page) {
	p.add("## Move", "",
		fmt.Sprintf("`clusterctl move -n bench` between two fresh control planes (etcd and kube-apiserver), of clusters with %d objects each (six with a status, eleven", graph.ObjectsPerCluster),
		"with finalizers; package test/graph). No controllers run and no webhooks are asked. Everything shares this machine's cores. The bare client sends the creates,",
		"status updates, finalizer patches and deletes, 16 at a time, with no order, no checks, and what it must know read before the clock starts. Upstream's",
		"doesn't restore statuses. Each is one run; requests are counted by the client.", "",
		"| | objects | time | ms an object | requests | an object | memory |", "|---|---|---|---|---|---|---|")
	for _, l := range []struct {
		name string
		moved
	}{
		{"bare client", m.bare},
		{"**clusterctl**", m.ours},
		{"upstream", m.upstream},
		{fmt.Sprintf("clusterctl, %s away", farDelay), m.oursFar},
		{fmt.Sprintf("upstream, %s away", farDelay), m.upstreamFar},
		{"clusterctl", m.oursSmall},
		{"clusterctl", m.oursBig},
	} {
		if l.clusters == 0 {
			continue
		}
		requests, each, rss := "not counted", "", ""
		if l.requests >= 0 {
			requests, each = fmt.Sprint(l.requests), inRatio(float64(l.requests)/float64(l.objects()))
		}
		if l.rss > 0 {
			rss = inMiB(l.rss)
		}
		p.row(l.name, fmt.Sprint(l.objects()), inS(l.wall.Seconds()), fmt.Sprintf("%.2f", l.perObject()*1000), requests, each, rss)
	}
	p.add("")
}

func inRatio3(ratio float64) string { return fmt.Sprintf("%.3f", ratio) }
