// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"
)

// The goals for a bootstrap cluster with four providers, from nothing.
const (
	limitBootstrap = 10 // seconds
	limitRatio     = 1.2
	limitAgain     = 0.2
)

// rest is the pause before providers are installed again: until then the managers' own start keeps the machine busy.
const rest = 5 * time.Second

// lab is the name of the bootstrap clusters.
const lab = "lab"

// bootstrapResult compares bootstrap clusters: clusterctl's and the script's.
type bootstrapResult struct {
	ours   []ownRun
	byHand []handRun
}

// ownRun is what clusterctl's commands took: create bootstrap, init, and init again.
type ownRun struct{ create, init, again cost }

func (o ownRun) total() time.Duration { return o.create.wall + o.init.wall }

// handRun is when the script had its control plane, had applied the components, and was done.
type handRun struct{ controlPlane, applied, total time.Duration }

// bootstraps makes bootstrap clusters in turn, by clusterctl and by the script.
func (b *bench) bootstraps(ctx context.Context, r *report) error {
	if err := b.warm(ctx); err != nil {
		return err
	}
	script, err := b.newHand(ctx)
	if err != nil {
		return fmt.Errorf("prepare the script's inputs: %w", err)
	}
	res := &bootstrapResult{}
	for range b.runs {
		own, err := b.own(ctx, b.env(b.parts.kube))
		if err != nil {
			return err
		}
		b.logf("clusterctl: %s + %s = %s, init again %s", seconds(own.create.wall), seconds(own.init.wall), seconds(own.total()), seconds(own.again.wall))
		hand, err := script.run(ctx)
		if err != nil {
			return err
		}
		b.logf("script:     control plane after %s, components %s, all %s", seconds(hand.controlPlane), seconds(hand.applied), seconds(hand.total))
		res.ours, res.byHand = append(res.ours, own), append(res.byHand, hand)
	}
	r.bootstrap = res
	return nil
}

// own makes a bootstrap cluster with four providers, installs them again, and removes it.
func (b *bench) own(ctx context.Context, env []string) (run ownRun, err error) {
	defer b.abandon(ctx, env, lab)
	if run.create, _, err = measure(ctx, b.dir, env, b.ours, "create", "bootstrap", lab, "--progress", "none"); err != nil {
		return run, err
	}
	kubeconfig, err := b.kubeconfig(ctx, env)
	if err != nil {
		return run, err
	}
	if run.init, err = b.init(ctx, env, kubeconfig); err != nil {
		return run, err
	}
	select {
	case <-ctx.Done():
		return run, ctx.Err()
	case <-time.After(rest):
	}
	run.again, err = b.init(ctx, env, kubeconfig)
	return run, err
}

func (b *bench) kubeconfig(ctx context.Context, env []string) (string, error) {
	info, err := b.bootstrap(ctx, env, lab)
	return info.Kubeconfig, err
}

// init installs the four providers: core, kubeadm twice, Docker.
func (b *bench) init(ctx context.Context, env []string, kubeconfig string) (cost, error) {
	c, _, err := measure(ctx, b.dir, env, b.ours, "init", "--infrastructure", "docker", "--kubeconfig", kubeconfig, "--progress", "none")
	return c, err
}

// warm has images unpacked and programs read from disk once, so that this isn't in the numbers.
func (b *bench) warm(ctx context.Context) error {
	if b.warmed {
		return nil
	}
	b.logf("warming the caches")
	if _, err := b.own(ctx, b.env(b.parts.kube)); err != nil {
		return err
	}
	b.warmed = true
	return nil
}
