// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/workload"
)

// holdsMachines says whether Machines of the first clusterctl's files wait until the cluster manages itself, as they did then.
func (c *Create) holdsMachines() bool {
	mode, err := c.record.Inputs.Mode()
	if err != nil || mode != FromLegacy || c.record.Pivot == SelfManaged {
		return false
	}
	want, _ := c.wantsPivot()
	return want
}

func (c *Create) skipMachines() string {
	if mode, err := c.record.Inputs.Mode(); err != nil || mode != FromLegacy {
		return "all machines were created with the cluster"
	}
	if want, _ := c.wantsPivot(); !want && c.cantHold == "" {
		return "all machines were created with the cluster"
	}
	return ""
}

// addMachines creates the Machines that waited, where the cluster is managed now, and waits for their Nodes.
func (c *Create) addMachines(ctx context.Context) (string, error) {
	p, err := c.readPlan(ctx)
	if err != nil {
		return "", err
	}
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	if err := checkNoMove(ctx, client); err != nil {
		return "", err
	}
	res, err := workload.Apply(ctx, client, p.set, workload.ApplyOptions{Sink: c.host.Sink, Step: StepMachines})
	if err != nil {
		return "", err
	}
	guest, err := c.workloadCluster(ctx)
	if err != nil {
		return "", err
	}
	if err := workload.WaitNodesReady(ctx, client, guest, c.key(), c.waitOptions(StepMachines)); err != nil {
		return "", err
	}
	if _, err := c.awaitAvailable(ctx, client, c.waitOptions(StepMachines)); err != nil {
		return "", err
	}
	return "every Machine has a ready Node; objects of the cluster: " + res.Summary(), nil
}
