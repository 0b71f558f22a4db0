// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// checkNotElsewhere refuses, where the management cluster has no Cluster of a record, to take it for deleted or for one that is still to be
// made while its API server answers: it was moved away, by a move that knows nothing of records.
func (rec *Record) checkNotElsewhere(ctx context.Context) error {
	at := rec.answersAt(ctx)
	if at == "" {
		return ctx.Err()
	}
	return fault.WithHint(
		fault.Refusedf("cluster %s/%s answers at %s, but the %s has no Cluster of that name: it was moved away, or is left to itself",
			rec.Namespace, rec.Name, at, describeBootstrap(rec.Bootstrap)),
		"name the management cluster that has it now (delete cluster: --kubeconfig), or forget the run: clusterctl delete cluster %s -n %s --forget", rec.Name, rec.Namespace)
}

// answersAt is the address of the cluster's API server, if it answers to the kubeconfig that was written for it; "" if not.
func (rec *Record) answersAt(ctx context.Context) string {
	if rec.Kubeconfig == "" || !isFile(rec.Kubeconfig) {
		return ""
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: rec.Kubeconfig})
	if err != nil {
		return "" // It isn't what was written.
	}
	if _, err := uidOf(ctx, cfg.REST, selfWait); err != nil {
		return ""
	}
	return cfg.REST.Host
}

// checkNotElsewhere is that for a creation which goes on, once its bootstrap cluster is there to be asked, or known not to be.
func (c *Create) checkNotElsewhere(ctx context.Context) error {
	rec := c.record
	if !rec.Applied || rec.Pivot != NotPivoted || rec.Bootstrap.Itself {
		return nil
	}
	if rec.Bootstrap.Type != bootstrap.Existing {
		if st, err := c.boot.Status(ctx); err != nil {
			return err
		} else if st.State == bootstrap.Missing {
			return rec.checkNotElsewhere(ctx)
		}
	}
	if c.mgmt == nil {
		return nil // It is to be brought back first.
	}
	if there, err := holdsCluster(ctx, c.mgmt, rec.Namespace, rec.Name); err != nil || there {
		return err
	}
	return rec.checkNotElsewhere(ctx)
}
