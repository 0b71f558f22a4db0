// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// Summary is what a run came to.
type Summary struct {
	// Name and Namespace are those of the Cluster.
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Bootstrap describes the cluster that manages it, ManagementKubeconfig is that one's kubeconfig.
	Bootstrap            string `json:"bootstrap"`
	ManagementKubeconfig string `json:"managementKubeconfig,omitempty"`
	// Kubeconfig is the workload cluster's kubeconfig file, Endpoint its API server.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Endpoint   string `json:"endpoint,omitempty"`
	// KubernetesVersion is that of the workload cluster.
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`
	// Machines is how many Machines the cluster has.
	Machines int `json:"machines"`
	// Providers are the installed providers' versions by label.
	Providers map[string]string `json:"providers,omitempty"`
	// Snapshots are files with the cluster's objects as they were before a move, with Secrets in clear text. They go with the cluster.
	Snapshots []string `json:"snapshots,omitempty"`
	// ManagementRequests count this run's requests to the cluster that managed it before any pivot, WorkloadRequests those to its own API server.
	ManagementRequests int `json:"managementRequests"`
	WorkloadRequests   int `json:"workloadRequests"`
	// Warnings are those of the API servers.
	Warnings []string `json:"warnings,omitempty"`
}

// summarise looks at what there is now.
func (c *Create) summarise(ctx context.Context) (string, error) {
	client, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	states, err := workload.List(ctx, client, c.record.Namespace)
	if err != nil {
		return "", err
	}
	for _, st := range states {
		if st.Name == c.record.Name {
			c.summary.Endpoint, c.summary.KubernetesVersion = st.Endpoint, st.Version
		}
	}
	if c.summary.Machines, err = c.countMachines(ctx, client); err != nil {
		return "", err
	}
	return fmt.Sprintf("cluster %s: %s, managed by the %s", c.key(), event.Count(c.summary.Machines, "machine"), describeBootstrap(c.record.Bootstrap)), nil
}

func (c *Create) countMachines(ctx context.Context, client *kube.Client) (int, error) {
	m, err := client.Mapping(ctx, capi.MachineGK())
	if err != nil {
		return 0, err
	}
	machines, err := client.List(ctx, m.GroupVersionKind, kube.ListOptions{
		Namespace: c.record.Namespace, LabelSelector: capi.ClusterNameLabel + "=" + c.record.Name, MetadataOnly: true,
	})
	return len(machines), err
}

// finishSummary fills in what is known without asking, also after a failure.
func (c *Create) finishSummary() {
	s := &c.summary
	s.Name, s.Namespace = c.record.Name, c.record.Namespace
	s.Bootstrap, s.ManagementKubeconfig = describeBootstrap(c.record.Bootstrap), c.boot.Kubeconfig()
	s.Kubeconfig, s.Providers = c.record.Kubeconfig, c.record.Providers
	s.Snapshots = c.record.kept()
	s.ManagementRequests, s.WorkloadRequests = c.toManagement.Counts().Total, c.toWorkload.Counts().Total
	c.keepWarnings()
	for _, w := range s.Warnings {
		event.Warnf(c.host.Sink, "the API server says: %s", w)
	}
}

// keepWarnings takes over what the API servers said on the connections of now; they are about to go.
func (c *Create) keepWarnings() {
	for _, client := range []*kube.Client{c.mgmt, c.guest} {
		if client != nil {
			c.summary.Warnings = append(c.summary.Warnings, client.Warnings()...)
		}
	}
}
