// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/existing"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// onLocal is an existing cluster that is a local one of this host: it isn't made or deleted, but what is installed on it has to fit it.
type onLocal struct {
	bootstrap.Cluster
	local bootstrap.Cluster
}

// Prepare has webhooks called by URL, as on any local cluster.
func (o onLocal) Prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return o.local.Prepare(objs)
}

// Logs are those of its processes.
func (o onLocal) Logs(ctx context.Context, namespace, deployment string, lines int) ([]string, error) {
	return o.local.Logs(ctx, namespace, deployment, lines)
}

// openExisting opens a cluster that was there before. A kubeconfig that can't be read says so where it is used.
func openExisting(rec BootstrapRecord, h Host) (bootstrap.Cluster, error) {
	plain := existing.New(rec.Kubeconfig, rec.Context)
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: rec.Kubeconfig, Context: rec.Context, Getenv: h.Getenv})
	if err != nil {
		return plain, nil //nolint:nilerr // see above
	}
	name, err := localAt(h, cfg.REST.Host)
	if err != nil || name == "" {
		return plain, err
	}
	l, err := local.New(local.Options{Name: name, Dirs: h.Dirs, Supervisor: h.Supervisor, Environ: h.Environ})
	if err != nil {
		return nil, err
	}
	return onLocal{Cluster: plain, local: l}, nil
}
