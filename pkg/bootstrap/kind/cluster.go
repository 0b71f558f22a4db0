// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/pods"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Cluster is one kind bootstrap cluster.
type Cluster struct {
	opts Options
	dir  string
	// open finds the engine; one by its name if that isn't empty.
	open func(ctx context.Context, name string, sink event.Sink) (engine, error)
	// ready waits until the API server answers and the nodes are ready.
	ready func(ctx context.Context, sink event.Sink) (version, endpoint string, err error)
	// unique makes up what is added to the name in the engine.
	unique func() string
	// patience is how long one thing may take that is done after a failure.
	patience time.Duration
}

var _ bootstrap.Cluster = (*Cluster)(nil)

// New describes a kind bootstrap cluster; it touches nothing.
func New(opts Options) (*Cluster, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	c := &Cluster{opts: opts, dir: filepath.Join(root(opts.Dirs.State), opts.Name), unique: randomSuffix, patience: cleanupTimeout}
	c.open = func(ctx context.Context, name string, sink event.Sink) (engine, error) {
		return openEngine(ctx, opts.Getenv, name, sink)
	}
	c.ready = c.waitReady
	return c, nil
}

// root is the directory of all kind bootstrap clusters.
func root(state string) string { return filepath.Join(state, "kind") }

// Type returns bootstrap.Kind.
func (c *Cluster) Type() bootstrap.Type { return bootstrap.Kind }

// Name returns the name.
func (c *Cluster) Name() string { return c.opts.Name }

// Dir is the directory that holds the record, the kubeconfig and the logs of a failed start.
func (c *Cluster) Dir() string { return c.dir }

// Kubeconfig is the path of the admin kubeconfig.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// Prepare returns the objects as they are: a kind cluster can run them.
func (c *Cluster) Prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return objs, nil
}

// Logs returns the last lines of the newest pod of a Deployment.
func (c *Cluster) Logs(ctx context.Context, namespace, deployment string, lines int) ([]string, error) {
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: c.Kubeconfig()})
	if err != nil {
		return nil, err
	}
	return pods.LastLog(ctx, cfg.REST, namespace, deployment, lines)
}
