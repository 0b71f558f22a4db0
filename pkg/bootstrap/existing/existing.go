// SPDX-License-Identifier: Apache-2.0

// Package existing uses a cluster that was there before as the bootstrap cluster.
package existing

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/pods"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Cluster is a cluster that somebody else made and keeps.
type Cluster struct{ kubeconfig, context string }

var _ bootstrap.Cluster = (*Cluster)(nil)

// New describes the cluster that a kubeconfig file and a context in it name. An empty
// context means the file's current one; an empty file means kubectl's usual rules.
func New(kubeconfig, context string) *Cluster {
	return &Cluster{kubeconfig: kubeconfig, context: context}
}

// Type returns bootstrap.Existing.
func (c *Cluster) Type() bootstrap.Type { return bootstrap.Existing }

// Name is the context if one was given, else the type's name.
func (c *Cluster) Name() string {
	if c.context != "" {
		return c.context
	}
	return string(bootstrap.Existing)
}

// Kubeconfig is the file that New got.
func (c *Cluster) Kubeconfig() string { return c.kubeconfig }

// Ensure only checks that the kubeconfig can be used; it sends nothing.
func (c *Cluster) Ensure(context.Context, event.Sink) error {
	_, err := c.config()
	return err
}

// BringBack is Ensure: it was never ours to make.
func (c *Cluster) BringBack(ctx context.Context, sink event.Sink) error { return c.Ensure(ctx, sink) }

// Prepare returns the objects as they are: a real cluster can run them.
func (c *Cluster) Prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return objs, nil
}

// Status says Running if the kubeconfig can be used; whether the cluster answers is seen by those who talk to it.
func (c *Cluster) Status(context.Context) (bootstrap.Status, error) {
	if _, err := c.config(); err != nil {
		return bootstrap.Status{State: bootstrap.Degraded, Detail: err.Error()}, nil //nolint:nilerr // It is the status.
	}
	return bootstrap.Status{State: bootstrap.Running}, nil
}

// Logs returns the last lines of the newest pod of a Deployment.
func (c *Cluster) Logs(ctx context.Context, namespace, deployment string, lines int) ([]string, error) {
	cfg, err := c.config()
	if err != nil {
		return nil, err
	}
	return pods.LastLog(ctx, cfg, namespace, deployment, lines)
}

// Delete does nothing: the cluster isn't ours.
func (c *Cluster) Delete(_ context.Context, sink event.Sink) error {
	event.Notef(sink, "the bootstrap cluster was there before and stays")
	return nil
}

// config loads the connection.
func (c *Cluster) config() (*rest.Config, error) {
	src := kube.ConfigSource{Path: c.kubeconfig, Context: c.context}
	if c.kubeconfig == "" {
		files := clientcmd.NewDefaultClientConfigLoadingRules().Precedence
		src.Getenv = func(name string) string {
			if name == clientcmd.RecommendedConfigPathEnvVar {
				return strings.Join(files, string(filepath.ListSeparator))
			}
			return ""
		}
	}
	cfg, err := kube.LoadConfig(src)
	if err != nil {
		return nil, fault.WithHint(fmt.Errorf("use existing bootstrap cluster: %w", err), "name its kubeconfig: --bootstrap-kubeconfig of create cluster, --kubeconfig of the other commands")
	}
	return cfg.REST, nil
}
