// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

func (c *Create) skipAddons() string {
	if len(c.record.Inputs.AddonFiles) == 0 {
		return "none given"
	}
	return c.skipPivoting()
}

func (c *Create) applyAddons(ctx context.Context) (string, error) {
	p, err := c.readPlan(ctx)
	if err != nil {
		return "", err
	}
	guest, err := c.workloadCluster(ctx)
	if err != nil {
		return "", err
	}
	res, err := workload.ApplyAddons(ctx, guest, manifest.Unwrap(p.addons), workload.AddonOptions{Sink: c.host.Sink, Step: StepAddons})
	if err != nil {
		return "", err
	}
	return "addons: " + res.Summary(), nil
}
