// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/workload"
)

func (c *Create) waitOptions(step string) workload.WaitOptions {
	return workload.WaitOptions{Sink: c.host.Sink, Step: step, Logs: c.boot.Logs}
}

func (c *Create) waitInfrastructure(ctx context.Context) (string, error) {
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	return "infrastructure is there", workload.WaitInfrastructure(ctx, client, c.key(), c.waitOptions(StepWaitInfrastructure))
}

func (c *Create) waitControlPlane(ctx context.Context) (string, error) {
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	return "control plane is initialised", workload.WaitControlPlaneInitialized(ctx, client, c.key(), c.waitOptions(StepWaitControlPlane))
}

func (c *Create) waitNodes(ctx context.Context) (string, error) {
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	guest, err := c.workloadCluster(ctx)
	if err != nil {
		return "", err
	}
	return "every Machine has a ready Node", workload.WaitNodesReady(ctx, client, guest, c.key(), c.waitOptions(StepWaitNodes))
}

func (c *Create) waitAvailable(ctx context.Context) (string, error) {
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	return "cluster is available", workload.WaitAvailable(ctx, client, c.key(), c.waitOptions(StepWaitAvailable))
}
