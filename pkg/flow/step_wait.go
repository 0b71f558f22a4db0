// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/kube"
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
	return "every Machine has a ready Node", c.awaitNodes(ctx, StepWaitNodes)
}

// awaitNodes is that wait in whatever step needs nodes.
func (c *Create) awaitNodes(ctx context.Context, step string) error {
	client, err := c.management(ctx)
	if err != nil {
		return err
	}
	guest, err := c.workloadCluster(ctx)
	if err != nil {
		return err
	}
	return workload.WaitNodesReady(ctx, client, guest, c.key(), c.waitOptions(step))
}

// waitAvailable waits for the Available condition. Cluster API's controllers set it from the control plane object's: for a
// cluster whose control plane is Machines alone they never do, so there it is all Machines having Nodes that counts.
func (c *Create) waitAvailable(ctx context.Context) (string, error) {
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	return c.awaitAvailable(ctx, client, c.waitOptions(StepWaitAvailable))
}

// awaitAvailable is that wait at a management cluster that may be another.
func (c *Create) awaitAvailable(ctx context.Context, management *kube.Client, opts workload.WaitOptions) (string, error) {
	alone, err := c.machinesAlone(ctx, management)
	if err != nil {
		return "", err
	}
	if alone {
		return "every Machine has a Node; without a control plane object nothing says more", workload.WaitMachines(ctx, management, c.key(), opts)
	}
	return "cluster is available", workload.WaitAvailable(ctx, management, c.key(), opts)
}

// machinesAlone says whether the cluster has no control plane object and none is to come.
func (c *Create) machinesAlone(ctx context.Context, client *kube.Client) (bool, error) {
	states, err := workload.List(ctx, client, c.record.Namespace)
	if err != nil {
		return false, err
	}
	for _, s := range states {
		if s.Name == c.record.Name {
			return s.ControlPlaneRef == nil && s.ClassName == "", nil
		}
	}
	return false, nil // Gone: the wait says so.
}
