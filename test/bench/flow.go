// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// limitMemory is how much memory clusterctl may take, in bytes.
const limitMemory = 150 * mib

// flowResult is what "create cluster" and "delete cluster" took.
type flowResult struct {
	create, remove cost
	// supervisor is the most memory of the process that keeps the bootstrap cluster running, in bytes.
	supervisor float64
}

// flow makes a cluster of simulated machines from nothing and deletes it.
func (b *bench) flow(ctx context.Context, r *report) (err error) {
	env := b.env(b.parts.kube)
	defer func() {
		if err != nil {
			b.abandon(ctx, env, "demo")
		}
	}()
	if err := b.warm(ctx); err != nil {
		return err
	}
	res := &flowResult{}
	res.create, _, err = measure(ctx, b.dir, env, b.ours, "create", "cluster", "demo", "--bootstrap", "local", "--progress", "none",
		"--infrastructure", "docker", "--flavor", "in-memory", "--control-plane-machine-count", "1", "--worker-machine-count", "2")
	if err != nil {
		return err
	}
	b.logf("create cluster: %s, %s", seconds(res.create.wall), inMiB(res.create.rss))
	info, err := b.bootstrap(ctx, env, "demo")
	if err != nil {
		return err
	}
	res.supervisor = peakOf(strconv.Itoa(info.SupervisorPID))
	if res.remove, _, err = measure(ctx, b.dir, env, b.ours, "delete", "cluster", "demo", "--yes", "--progress", "none"); err != nil {
		return err
	}
	r.flow = res
	return nil
}

// bootstrapInfo is what clusterctl says of a bootstrap cluster.
type bootstrapInfo struct {
	Kubeconfig    string   `json:"kubeconfig"`
	SupervisorPID int      `json:"supervisorPid"`
	Nodes         []string `json:"nodes"`
}

func (b *bench) bootstrap(ctx context.Context, env []string, name string) (bootstrapInfo, error) {
	_, out, err := measure(ctx, b.dir, env, b.ours, "get", "bootstraps", name, "-o", "json")
	if err != nil {
		return bootstrapInfo{}, err
	}
	var list struct{ Items []bootstrapInfo }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return bootstrapInfo{}, err
	}
	if len(list.Items) != 1 {
		return bootstrapInfo{}, fmt.Errorf("get bootstraps %s: %d found", name, len(list.Items))
	}
	return list.Items[0], nil
}

// abandon removes a bootstrap cluster whatever is in it, also when ctx has ended.
func (b *bench) abandon(ctx context.Context, env []string, name string) {
	_, _, err := measure(context.WithoutCancel(ctx), b.dir, env, b.ours, "delete", "bootstrap", name, "--yes", "--abandon-clusters", "--progress", "none")
	if err != nil {
		b.logf("%v", err)
	}
}
