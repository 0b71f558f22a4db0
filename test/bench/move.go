// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const (
	// The goals of a move.
	limitBare, limitUpstream, limitFar = 1.25, 1.0 / 6, 1.0 / 20
	limitMoveRequests                  = 3.5
	limitGrowth                        = 1.2
	limitBig                           = 600 * mib
	benchNamespace                     = "bench"
	farDelay                           = 20 * time.Millisecond
)

// moved is one measured move.
type moved struct {
	clusters int
	cost
	// requests are what both API servers counted, -1 where nobody did.
	requests int
}

func (m moved) objects() int { return m.clusters * graph.ObjectsPerCluster }

func (m moved) perObject() float64 { return m.wall.Seconds() / float64(m.objects()) }

// moveResult is all of them.
type moveResult struct {
	bare, ours, upstream       moved
	oursFar, upstreamFar       moved
	oursSmall, oursBig         moved
	farClusters, usualClusters int
}

// moves measures moves of the same graphs between fresh pairs of control planes.
func (b *bench) moves(ctx context.Context, r *report) error {
	res := &moveResult{usualClusters: 100, farClusters: 20}
	for _, m := range []struct {
		into     *moved
		name     string
		clusters int
		delay    time.Duration
		do       func(context.Context, *pair, int) (moved, error)
	}{
		{&res.oursSmall, "clusterctl", 10, 0, b.moveOurs},
		{&res.bare, "a bare client", res.usualClusters, 0, b.moveBare},
		{&res.ours, "clusterctl", res.usualClusters, 0, b.moveOurs},
		{&res.upstream, "upstream", res.usualClusters, 0, b.moveUpstream},
		{&res.oursFar, "clusterctl, far", res.farClusters, farDelay, b.moveOurs},
		{&res.upstreamFar, "upstream, far", res.farClusters, farDelay, b.moveUpstream},
		{&res.oursBig, "clusterctl", b.big, 0, b.moveOurs},
	} {
		if m.clusters == 0 {
			continue
		}
		got, err := b.onePair(ctx, m.clusters, m.delay, m.do)
		if err != nil {
			return fmt.Errorf("%s, %d clusters: %w", m.name, m.clusters, err)
		}
		b.logf("%s: %d objects in %s, %d requests, %s", m.name, got.objects(), got.wall.Round(time.Millisecond), got.requests, inMiB(got.rss))
		*m.into = got
	}
	r.move = res
	return nil
}

// pair is a source full of clusters, and an empty target.
type pair struct {
	src, dst *testenv.Env
	// srcConfig and dstConfig are kubeconfigs, through a slow line where one was asked for.
	srcConfig, dstConfig string
}

func (b *bench) onePair(ctx context.Context, clusters int, delay time.Duration, do func(context.Context, *pair, int) (moved, error)) (moved, error) {
	dir, err := os.MkdirTemp(b.dir, "pair-")
	if err != nil {
		return moved{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p := &pair{}
	for _, side := range []struct {
		env    **testenv.Env
		config *string
		name   string
	}{{&p.src, &p.srcConfig, "src"}, {&p.dst, &p.dstConfig, "dst"}} {
		sub := filepath.Join(dir, side.name)
		if err := os.Mkdir(sub, 0o700); err != nil {
			return moved{}, err
		}
		e, stop, err := testenv.New(sub)
		if err != nil {
			return moved{}, err
		}
		defer stop()
		if err := e.Store(graph.LabelledCRDs(graph.Version)); err != nil {
			return moved{}, err
		}
		*side.env, *side.config = e, e.Kubeconfig
		if delay > 0 {
			line, err := slowLine(e.REST.Host, delay)
			if err != nil {
				return moved{}, err
			}
			defer line.close()
			if *side.config, err = line.kubeconfig(sub, e); err != nil {
				return moved{}, err
			}
		}
	}
	if _, err := b.part(ctx, "load", p.src.Kubeconfig, strconv.Itoa(clusters)); err != nil {
		return moved{}, err
	}
	got, err := do(ctx, p, clusters)
	got.clusters = clusters
	if err == nil {
		_, err = b.part(ctx, "arrived", p.src.Kubeconfig, p.dst.Kubeconfig, strconv.Itoa(clusters*graph.ObjectsPerCluster))
	}
	return got, err
}

func (b *bench) moveOurs(ctx context.Context, p *pair, _ int) (moved, error) {
	c, out, err := b.measureApart(ctx, b.env(b.parts.kube), b.ours, "move", "-n", benchNamespace, "--kubeconfig", p.srcConfig, "--to-kubeconfig", p.dstConfig,
		"--yes", "-o", "json", "--progress", "none")
	return moved{cost: c, requests: requestsIn(out)}, err
}

func (b *bench) moveUpstream(ctx context.Context, p *pair, _ int) (moved, error) {
	env := append(b.env(b.parts.kube), "CLUSTERCTL_DISABLE_VERSIONCHECK=true")
	c, _, err := b.measureApart(ctx, env, b.upstream, "move", "-n", benchNamespace, "--kubeconfig", p.srcConfig, "--to-kubeconfig", p.dstConfig)
	return moved{cost: c, requests: -1}, err
}

// requestsIn reads the totals of both sides out of a report.
func requestsIn(text string) int {
	var report struct {
		Requests struct{ Source, Target int }
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		return -1
	}
	return report.Requests.Source + report.Requests.Target
}
