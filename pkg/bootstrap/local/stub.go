// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

var errStub = errors.New("not built yet")

func (c *Cluster) Ensure(ctx context.Context, sink event.Sink) error { return errStub }
func (c *Cluster) Prepare(objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return nil, errStub
}
func (c *Cluster) Logs(ctx context.Context, namespace, deployment string, lines int) ([]string, error) {
	return nil, errStub
}
func (c *Cluster) Status(ctx context.Context) (bootstrap.Status, error) {
	return bootstrap.Status{}, errStub
}
func (c *Cluster) Stop(ctx context.Context, sink event.Sink) error   { return errStub }
func (c *Cluster) Delete(ctx context.Context, sink event.Sink) error { return errStub }

// List lists the local bootstrap clusters of a user, by name.
func List(dirs paths.Dirs) ([]bootstrap.Info, error) { return nil, errStub }

// Supervise runs the bootstrap cluster in dir until ctx ends.
func Supervise(ctx context.Context, dir string, environ ...string) error { return errStub }
