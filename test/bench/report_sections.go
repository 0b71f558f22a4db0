// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

func inMB(bytes float64) string { return fmt.Sprintf("%.1f MB", bytes/mb) }

func inCount(n float64) string { return fmt.Sprintf("%.0f", n) }

func (s *startResult) goals(p *page) {
	p.goal("start: time of `version`, median, compared with upstream's", walls(s.upstream).median(), walls(s.ours).median(), inMs)
	if ours, upstream := peaks(s.ours).median(), peaks(s.upstream).median(); ours > 0 && upstream > 0 {
		p.goal("start: memory of `version`, median, compared with upstream's", upstream, ours, inMiB)
	}
	p.goal("size of the program, stripped", limitBinary, s.oursSize, inMB)
}

func (s *startResult) details(p *page) {
	p.add("## Start", "",
		fmt.Sprintf("`clusterctl version`, %d times each, in turn, after one start that isn't counted. Upstream's is built from its module with the", len(s.ours)),
		"same toolchain; its look for a newer version on the internet is switched off. Memory is the most that was resident (rusage).", "")
	p.spread("")
	p.add("| clusterctl: time | "+walls(s.ours).columns(inMs)+" |", "| upstream: time | "+walls(s.upstream).columns(inMs)+" |",
		"| clusterctl: memory | "+peaks(s.ours).columns(inMiB)+" |", "| upstream: memory | "+peaks(s.upstream).columns(inMiB)+" |", "",
		fmt.Sprintf("Time is %s, memory %s of upstream's (medians). The programs have %s and %s.",
			inRatio(walls(s.ours).median()/walls(s.upstream).median()), inRatio(peaks(s.ours).median()/peaks(s.upstream).median()),
			inMB(s.oursSize), inMB(s.upstreamSize)), "")
}

func (b *bootstrapResult) series() (total, create, init, again, hand, control, applied, answer series) {
	for _, o := range b.ours {
		total = append(total, o.total().Seconds())
		create, init = append(create, o.create.wall.Seconds()), append(init, o.init.wall.Seconds())
		again = append(again, o.again.wall.Seconds())
	}
	for _, h := range b.byHand {
		hand, control = append(hand, h.total.Seconds()), append(control, h.controlPlane.Seconds())
		applied, answer = append(applied, (h.applied-h.controlPlane).Seconds()), append(answer, (h.total-h.applied).Seconds())
	}
	return total, create, init, again, hand, control, applied, answer
}

func (b *bootstrapResult) goals(p *page) {
	total, _, init, again, hand, _, _, _ := b.series()
	p.goal("from nothing to four managers with answering webhooks, median", limitBootstrap, total.median(), inS)
	p.goal("the same, compared with a shell script that does it by hand", limitRatio, total.median()/hand.median(), inRatio)
	p.goal("installing the same providers again, compared with the first time", limitAgain, again.median()/init.median(), inRatio)
}

func (b *bootstrapResult) details(p *page) {
	total, create, init, again, hand, control, applied, answer := b.series()
	p.add("## A bootstrap cluster with four providers", "",
		fmt.Sprintf("From nothing to the Cluster API core, kubeadm (twice) and Docker providers available, with webhooks that answer; %d times each, in turn.", len(b.ours)),
		"Clusterctl: `create bootstrap lab`, then `init --infrastructure docker`; binaries are there and images unpacked, as after a first time.",
		"By hand: [byhand.sh](../test/bench/byhand.sh), which starts the same programs with the same settings, applies the components with kubectl and tries a webhook of",
		"each manager. Its inputs are made before the clock starts: certificates, kubeconfigs, the rendered components with webhooks by URL; clusterctl makes its own while it is measured.", "")
	p.spread("")
	p.add("| **clusterctl, all** | "+total.columns(inS)+" |", "| create bootstrap | "+create.columns(inS)+" |", "| init | "+init.columns(inS)+" |",
		"| **by hand, all** | "+hand.columns(inS)+" |", "| until the API server is ready | "+control.columns(inS)+" |",
		"| components applied, CRDs established | "+applied.columns(inS)+" |", "| managers answer | "+answer.columns(inS)+" |", "",
		fmt.Sprintf("Clusterctl takes %s of the script's time (medians). The same `init` once more, %s later, when the managers' own start is over, looks at everything,", inRatio(total.median()/hand.median()), rest),
		fmt.Sprintf("changes nothing, and takes %s (median; %s to %s), %s of the first.", inS(again.median()), inS(again.min()), inS(again.max()), inRatio(again.median()/init.median())), "")
}

func (i *installResult) goals(p *page) {
	p.goal("requests per object of an installation, without the waits", limitRequests, i.first.perObject(), inRatio)
	p.goal("writes of a second installation", 0, float64(i.second.writes), inCount)
}

func (i *installResult) details(p *page) {
	p.add("## Requests of an installation", "",
		"The same `init`, twice, counted by the API server: in place of kube-apiserver the bootstrap cluster gets a script that becomes it, with an audit log of all",
		"requests. Clusterctl's are told from others by user agent and time. What asks until the kinds of new CRDs are served, and everything after the last write, counts as waiting.", "",
		"| | first | again |", "|---|---|---|")
	for _, line := range []struct {
		name string
		of   func(requests) int
	}{
		{"objects written", func(r requests) int { return r.objects }},
		{"writes that were stored", func(r requests) int { return r.writes }},
		{"**requests**", func(r requests) int { return r.total }},
		{"applies", func(r requests) int { return r.applies }},
		{"reads before and between", func(r requests) int { return r.reads }},
		{"discovery and version", func(r requests) int { return r.discovery }},
		{"waiting: are the new kinds served?", func(r requests) int { return r.served }},
		{"waiting: Deployments, webhooks", func(r requests) int { return r.waits }},
	} {
		p.row(line.name, fmt.Sprint(line.of(i.first)), fmt.Sprint(line.of(i.second)))
	}
	p.add("", fmt.Sprintf("%s requests an object without the waits, %s with them.", inRatio(i.first.perObject()), inRatio(float64(i.first.total)/float64(i.first.objects))), "")
}

func (f *flowResult) goals(p *page) {
	if f.create.rss > 0 {
		p.goal("memory of clusterctl through a whole `create cluster`", limitMemory, f.create.rss, inMiB)
	}
}

func (f *flowResult) details(p *page) {
	p.add("## A whole flow", "",
		"`create cluster demo --bootstrap local --infrastructure docker --flavor in-memory --control-plane-machine-count 1 --worker-machine-count 2`, from nothing, and",
		"`delete cluster demo`. Memory is the most that was resident.", "",
		"| | time | memory |", "|---|---|---|")
	p.row("create cluster", seconds(f.create.wall), inMiB(f.create.rss))
	p.row("delete cluster", seconds(f.remove.wall), inMiB(f.remove.rss))
	p.row("the process that keeps the bootstrap cluster running", "", inMiB(f.supervisor))
	p.add("")
}
