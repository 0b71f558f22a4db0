// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"
	"runtime"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Cluster is one local bootstrap cluster.
type Cluster struct {
	opts Options
	dir  layout.Dir
}

var _ bootstrap.Cluster = (*Cluster)(nil)

// New describes a local bootstrap cluster; it touches nothing. On systems where provider
// images can't run as processes it returns an error that is bootstrap.ErrUnsupported.
func New(opts Options) (*Cluster, error) {
	if err := Supported(); err != nil {
		return nil, err
	}
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	return &Cluster{opts: opts, dir: layout.In(opts.Dirs.State, opts.Name)}, nil
}

// Supported says whether local bootstrap clusters can run on this host; the error is bootstrap.ErrUnsupported.
func Supported() error { return supported(runtime.GOOS, runtime.GOARCH) }

// supported names the systems whose provider images are published and can run as they are.
func supported(goos, goarch string) error {
	if goos == "linux" && (goarch == "amd64" || goarch == "arm64") {
		return nil
	}
	err := fmt.Errorf("use a local bootstrap cluster on %s/%s: %w: it runs provider images as they are, which needs linux/amd64 or linux/arm64",
		goos, goarch, bootstrap.ErrUnsupported)
	return fault.WithHint(fault.WithCode(fault.Refused, err), "use --bootstrap kind (it needs a container engine) or --bootstrap existing")
}

// Type returns bootstrap.Local.
func (c *Cluster) Type() bootstrap.Type { return bootstrap.Local }

// Name returns the name.
func (c *Cluster) Name() string { return c.opts.Name }

// Dir is the directory that holds all state.
func (c *Cluster) Dir() string { return string(c.dir) }

// Kubeconfig is the path of the admin kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.dir.Kubeconfig() }
