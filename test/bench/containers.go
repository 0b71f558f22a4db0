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
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// containersResult compares the ways to a self-managed cluster of containers, and the two kinds of bootstrap clusters.
type containersResult struct {
	// pairs are runs of both ways, side by side.
	pairs []containersPair
	// commands are the command lines of the script.
	commands int
	// kind has certificates of ours as local has, kindCM those of cert-manager.
	kind, kindCM, local bootstrapRun
}

// containersPair is one run of each way.
type containersPair struct {
	// stages are when the script was done with each, in its order.
	stages []stage
	ours   cost
	// management and workload are the requests to the two clusters: those that clusterctl counted, and those of the script's programs.
	management, workload         int
	handManagement, handWorkload int
}

// byHand is when the script was done with everything.
func (p containersPair) byHand() time.Duration { return p.stages[len(p.stages)-1].at }

func (p containersPair) ratio() float64 { return p.ours.wall.Seconds() / p.byHand().Seconds() }

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
	c, err := b.newContainers(ctx)
	if err != nil {
		return err
	}
	defer c.forgetImages(ctx)
	defer c.clean(ctx)
	if res.kindCM, err = c.bootstrap(ctx, "kind", slices.Concat(c.images, c.certImages), "--webhook-certs", "cert-manager"); err != nil {
		return err
	}
	b.logf("kind, cert-manager: create %s, init %s, %s", seconds(res.kindCM.create), seconds(res.kindCM.init), inMiB(res.kindCM.memory))
	if res.kind, err = c.bootstrap(ctx, "kind", c.images); err != nil {
		return err
	}
	b.logf("kind:  create %s, init %s, %s", seconds(res.kind.create), seconds(res.kind.init), inMiB(res.kind.memory))
	if res.local, err = c.bootstrap(ctx, "local", nil); err != nil {
		return err
	}
	b.logf("local: create %s, init %s, %s", seconds(res.local.create), seconds(res.local.init), inMiB(res.local.memory))
	if res.commands, err = commandLines(c.script); err != nil {
		return err
	}
	for i := range b.containerRuns {
		var p containersPair
		ways := []func(context.Context, *containersPair) error{c.byHand, c.own}
		if i%2 == 1 { // Whoever comes second finds more of the host's files in memory.
			slices.Reverse(ways)
		}
		for _, way := range ways {
			if err := way(ctx, &p); err != nil {
				return err
			}
			if err := c.forget(ctx); err != nil {
				return err
			}
		}
		b.logf("by hand: %v, %d and %d requests", p.stages, p.handManagement, p.handWorkload)
		b.logf("clusterctl: %s, %d and %d requests: %s", seconds(p.ours.wall), p.management, p.workload, inRatio(p.ratio()))
		res.pairs = append(res.pairs, p)
	}
	return nil
}

// forget leaves nothing of a run that the next one would find.
func (c *containers) forget(ctx context.Context) error {
	c.clean(ctx)
	_ = os.Remove(filepath.Join(c.dir, "prod.kubeconfig"))
	return os.RemoveAll(filepath.Join(c.home, "state"))
}

// commandLines counts what a person would type of a script: the lines that run one of its programs.
func commandLines(script string) (int, error) {
	data, err := os.ReadFile(script)
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		for _, start := range []string{`"$KIND" `, `"$CLUSTERCTL" `, "clusterctl ", "boot ", "prod "} {
			if strings.HasPrefix(line, start) {
				n++
			}
		}
	}
	return n, nil
}

// bootstrap makes a bootstrap cluster, installs four providers, looks at the memory, and removes it.
func (c *containers) bootstrap(ctx context.Context, kind string, images []string, more ...string) (run bootstrapRun, err error) {
	args := []string{c.ours, "create", "bootstrap", lab, "--type", kind, "--progress", "none"}
	if kind == "kind" {
		args = append(args, kindFlags(images)...)
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

func kindFlags(images []string) []string {
	return []string{"--kind-image", nodeImage, "--load-images", strings.Join(images, ",")}
}

// preloading is the environment with the images that the nodes of a cluster are given: each way has those that it needs.
func (c *containers) preloading(images []string) []string {
	list, _ := json.Marshal(images) // A list of strings can be marshalled.
	return append(slices.Clone(c.env), "DOCKER_PRELOAD_IMAGES="+string(list))
}

// byHand runs the script.
func (c *containers) byHand(ctx context.Context, res *containersPair) error {
	cmd := command(ctx, "", append(os.Environ(), c.preloading(slices.Concat(c.images, c.certImages))...), c.script, c.folder)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	var stages []stage
	for lines := bufio.NewScanner(out); lines.Scan(); {
		stages = append(stages, stage{lines.Text(), time.Since(began)})
	}
	if err := cmd.Wait(); err != nil || len(stages) == 0 || stages[len(stages)-1].name != "done" {
		return fmt.Errorf("run %s: %w: %s", c.script, errors.Join(err, ctx.Err()), tail(stderr.String()))
	}
	res.stages = stages
	res.handManagement, res.handWorkload, err = c.handRequests(ctx, began.Add(stages[0].at))
	return err
}

// own does the same with one command.
func (c *containers) own(ctx context.Context, res *containersPair) error {
	args := append([]string{
		c.ours, "create", "cluster", "prod", "--bootstrap", "kind", "--infrastructure", "docker", "--control-plane-machine-count", "1",
		"--worker-machine-count", "1", "--addons", c.cni, "--kind-config", c.kindConfig(), "--progress", "none", "-o", "json",
	}, kindFlags(c.images)...)
	var out string
	var err error
	if res.ours, out, err = measure(ctx, c.dir, c.preloading(c.images), args...); err != nil {
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

// forgetImages takes the names away that the images of this run's registry have in the engine; those that the tests gave them stay.
func (c *containers) forgetImages(ctx context.Context) {
	if _, err := output(context.WithoutCancel(ctx), append([]string{"docker", "rmi"}, c.images...)...); err != nil {
		c.logf("%v", err)
	}
}
