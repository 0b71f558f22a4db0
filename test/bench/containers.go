// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// containersResult compares the ways to a self-managed cluster of containers, and the two kinds of bootstrap clusters.
type containersResult struct {
	// left says why nothing was measured.
	left string
	// stages are when the script was done with each, in its order.
	stages []stage
	ours   cost
	// management and workload are the requests that clusterctl counted.
	management, workload int
	// kind has certificates of ours as local has, kindCM those of cert-manager.
	kind, kindCM, local bootstrapRun
}

type stage struct {
	name string
	at   time.Duration
}

// bootstrapRun is a bootstrap cluster with four providers: how long it took, and the memory that it takes then, in bytes.
type bootstrapRun struct {
	create, init time.Duration
	memory       float64
}

func (b bootstrapRun) total() time.Duration { return b.create + b.init }

// containers measures what needs a container engine.
func (b *bench) containers(ctx context.Context, r *report) error {
	res := &containersResult{}
	r.containers = res
	c, why, err := b.newContainers(ctx)
	if err != nil || why != "" {
		res.left = why
		b.logf("NOT MEASURED: %s", why)
		return err
	}
	defer c.clean(ctx)
	if res.kindCM, err = c.bootstrap(ctx, "kind", "--webhook-certs", "cert-manager"); err != nil {
		return err
	}
	b.logf("kind, cert-manager: create %s, init %s, %s", seconds(res.kindCM.create), seconds(res.kindCM.init), inMiB(res.kindCM.memory))
	if res.kind, err = c.bootstrap(ctx, "kind"); err != nil {
		return err
	}
	b.logf("kind:  create %s, init %s, %s", seconds(res.kind.create), seconds(res.kind.init), inMiB(res.kind.memory))
	if res.local, err = c.bootstrap(ctx, "local"); err != nil {
		return err
	}
	b.logf("local: create %s, init %s, %s", seconds(res.local.create), seconds(res.local.init), inMiB(res.local.memory))
	if res.stages, err = c.byHand(ctx); err != nil {
		return err
	}
	b.logf("by hand: %v", res.stages)
	c.clean(ctx)
	if err := c.own(ctx, res); err != nil {
		return err
	}
	b.logf("clusterctl: %s, %d and %d requests", seconds(res.ours.wall), res.management, res.workload)
	return nil
}

// bootstrap makes a bootstrap cluster, installs four providers, looks at the memory, and removes it.
func (c *containers) bootstrap(ctx context.Context, kind string, more ...string) (run bootstrapRun, err error) {
	args := []string{c.ours, "create", "bootstrap", lab, "--type", kind, "--progress", "none"}
	if kind == "kind" {
		args = append(args, c.kindFlags()...)
		args = append(args, "--mount-engine-socket")
	}
	defer c.abandon(ctx, c.env, lab)
	made, _, err := measure(ctx, c.dir, c.env, args...)
	if err != nil {
		return run, err
	}
	info, err := c.bench.bootstrap(ctx, c.env, lab)
	if err != nil {
		return run, err
	}
	initArgs := append([]string{c.ours, "init", "--infrastructure", "docker", "--kubeconfig", info.Kubeconfig, "--progress", "none"}, more...)
	installed, _, err := measure(ctx, c.dir, c.env, initArgs...)
	if err != nil {
		return run, err
	}
	run.create, run.init = made.wall, installed.wall
	time.Sleep(rest)
	if kind == "kind" {
		run.memory, err = containerMemory(ctx, info.Nodes)
	} else {
		run.memory, err = treeMemory(info.SupervisorPID)
	}
	return run, err
}

func (c *containers) kindFlags() []string {
	return []string{"--kind-image", nodeImage, "--load-images", strings.Join(slices.Concat(c.images, c.certImages), ",")}
}

// byHand runs the script.
func (c *containers) byHand(ctx context.Context) ([]stage, error) {
	cmd := command(ctx, "", append(os.Environ(), c.env...), c.script, c.folder)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var stages []stage
	for lines := bufio.NewScanner(out); lines.Scan(); {
		stages = append(stages, stage{lines.Text(), time.Since(began)})
	}
	if err := cmd.Wait(); err != nil || len(stages) == 0 || stages[len(stages)-1].name != "done" {
		return nil, fmt.Errorf("run %s: %w: %s", c.script, errors.Join(err, ctx.Err()), tail(stderr.String()))
	}
	return stages, nil
}

// own does the same with one command.
func (c *containers) own(ctx context.Context, res *containersResult) error {
	args := append([]string{
		c.ours, "create", "cluster", "prod", "--bootstrap", "kind", "--infrastructure", "docker", "--control-plane-machine-count", "1",
		"--worker-machine-count", "1", "--addons", c.cni, "--progress", "none", "-o", "json",
	}, c.kindFlags()...)
	var out string
	var err error
	if res.ours, out, err = measure(ctx, c.dir, c.env, args...); err != nil {
		c.abandon(ctx, c.env, "prod")
		return err
	}
	var summary struct{ ManagementRequests, WorkloadRequests int }
	if err := json.Unmarshal([]byte(out), &summary); err != nil {
		return err
	}
	res.management, res.workload = summary.ManagementRequests, summary.WorkloadRequests
	return nil
}

// clean removes the containers of the clusters that were made; nobody else knows them any more.
func (c *containers) clean(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for _, cluster := range []string{"byhand", "prod"} {
		ids, err := output(ctx, "docker", "ps", "-aq", "--filter", "label=io.x-k8s.kind.cluster="+cluster)
		if err != nil || strings.TrimSpace(ids) == "" {
			continue
		}
		if _, err := output(ctx, append([]string{"docker", "rm", "-f", "-v"}, strings.Fields(ids)...)...); err != nil {
			c.logf("%v", err)
		}
	}
}
