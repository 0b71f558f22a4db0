// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
)

// limitBinary is how large the program may be, in bytes.
const limitBinary = 60 * mb

// startResult compares the start of two command lines.
type startResult struct {
	ours, upstream []cost
	// oursSize and upstreamSize are the programs' sizes in bytes.
	oursSize, upstreamSize float64
}

// starts runs "version" of both programs in turn.
func (b *bench) starts(ctx context.Context, r *report) error {
	res := &startResult{}
	var err error
	if res.oursSize, err = size(b.ours); err != nil {
		return err
	}
	if res.upstreamSize, err = size(b.upstream); err != nil {
		return err
	}
	// Upstream's would ask the internet for a newer version.
	env := append(b.env(b.parts.kube), "CLUSTERCTL_DISABLE_VERSIONCHECK=true")
	for i := range b.options.starts + 1 {
		ours, _, err := measure(ctx, b.dir, env, b.ours, "version")
		if err != nil {
			return err
		}
		upstream, _, err := measure(ctx, b.dir, env, b.upstream, "version")
		if err != nil {
			return err
		}
		if i > 0 { // The first run reads the programs from disk.
			res.ours, res.upstream = append(res.ours, ours), append(res.upstream, upstream)
		}
	}
	r.start = res
	return nil
}

func size(file string) (float64, error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}
