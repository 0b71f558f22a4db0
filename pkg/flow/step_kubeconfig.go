// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
)

func (c *Create) key() types.NamespacedName {
	return types.NamespacedName{Namespace: c.record.Namespace, Name: c.record.Name}
}

// fetchKubeconfig reads one of the workload cluster's kubeconfigs and waits for it: the one for people, or the
// controllers' own, which needs no login command.
func (c *Create) fetchKubeconfig(ctx context.Context, internal bool) (*kubeconfig.Kubeconfig, error) {
	client, err := c.management(ctx)
	if err != nil {
		return nil, err
	}
	return kubeconfig.Fetch(ctx, client, kubeconfig.FetchOptions{
		Namespace: c.record.Namespace, Name: c.record.Name, Internal: internal, Wait: true, Sink: within(StepKubeconfig, c.host.Sink),
	})
}

// writeKubeconfig writes the kubeconfig and notes in the record that the file is ours.
func (c *Create) writeKubeconfig(ctx context.Context) (string, error) {
	k, err := c.fetchKubeconfig(ctx, false)
	if err != nil {
		return "", err
	}
	path, data := c.kubeconfigPath(), k.Bytes()
	same := holds(path, data)
	// The record first: a file that isn't in it would be refused as somebody else's when the run goes on.
	c.record.writing(path, data)
	if err := c.records.Save(c.record); err != nil {
		return "", err
	}
	if same {
		return "kubeconfig is in " + path, nil
	}
	if err := kubeconfig.WriteFile(path, data); err != nil {
		return "", fault.WithHint(err, "another file: clusterctl create cluster %s -n %s --kubeconfig-out FILE", c.record.Name, c.record.Namespace)
	}
	return "kubeconfig written to " + path, nil
}

// workloadCluster connects to the new cluster's own API server, once.
func (c *Create) workloadCluster(ctx context.Context) (*kube.Client, error) {
	if c.guest != nil {
		return c.guest, nil
	}
	k, err := c.fetchKubeconfig(ctx, true)
	if err != nil {
		return nil, err
	}
	cfg, err := k.RESTConfig()
	if err != nil {
		return nil, err
	}
	c.guest, err = kube.New(cfg, kube.Options{UserAgent: c.host.UserAgent, Sink: c.host.Sink, Counter: c.toWorkload})
	return c.guest, err
}
