// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// management connects to the management cluster, and brings it back first if it is one of ours. Another cluster than the recorded one is
// refused: what isn't there would pass for deleted.
func (d *Delete) management(ctx context.Context) (*kube.Client, error) {
	if d.mgmt != nil {
		return d.mgmt, nil
	}
	if err := d.checkNotLost(ctx); err != nil {
		return nil, err
	}
	if err := d.boot.BringBack(ctx, within(StepDeleteCluster, d.host.Sink)); err != nil {
		return nil, err
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: d.boot.Kubeconfig(), Context: d.context(), Getenv: d.host.Getenv})
	if err != nil {
		return nil, err
	}
	client, err := kube.New(cfg.REST, kube.Options{UserAgent: d.host.UserAgent, Sink: d.host.Sink})
	if err != nil {
		return nil, err
	}
	if d.record != nil {
		if err := d.record.Bootstrap.verify(ctx, client, d.record.rightOneOfDelete()); err != nil {
			client.Close()
			return nil, err
		}
	}
	d.mgmt = client
	return d.mgmt, nil
}

// context is that of the management cluster's kubeconfig: the one that was given belongs to the cluster itself once that is moved out.
func (d *Delete) context() string {
	if d.record != nil {
		return d.record.Bootstrap.Context
	}
	return d.opts.Context
}

// checkNotLost refuses to make a new, empty bootstrap cluster in place of one that should hold the cluster.
func (d *Delete) checkNotLost(ctx context.Context) error {
	if d.record == nil || d.record.Bootstrap.Type == bootstrap.Existing {
		return nil
	}
	st, err := d.boot.Status(ctx)
	if err != nil || st.State != bootstrap.Missing {
		return err
	}
	return fault.WithHint(fault.Refusedf("the %s, which managed cluster %s, is not there any more", d.Where(), d.Key()),
		"if its infrastructure is gone as well, forget the run: clusterctl delete cluster %s -n %s --forget", d.opts.Name, d.opts.Namespace)
}
