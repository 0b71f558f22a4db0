// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/naming"
)

// FetchOptions say whose kubeconfig to fetch.
type FetchOptions struct {
	// Namespace and Name are those of the Cluster.
	Namespace, Name string
	// Internal asks for the kubeconfig that the controllers use, also where there is one for
	// people. On EKS for example it holds a token for 15 minutes, the other one a login command.
	Internal bool
	// Wait waits for a Secret that is not there yet, until the deadline of the context.
	Wait bool
	// Sink gets progress and warnings; may be nil.
	Sink event.Sink
}

// Fetch reads the kubeconfig of a cluster out of the Secret that the Cluster API contract
// names: NAME-user-kubeconfig if there is one and Internal isn't set, else NAME-kubeconfig.
//
// The Secret is what counts. One whose Cluster is gone, or that another tool has put there,
// is handed out like any other; the Cluster is looked at only to explain why there is no
// Secret. A good case is two GETs.
//
// Errors are one of ErrNoCluster, ErrNoNamespace, ErrNotInstalled, ErrNotReady (class
// Timeout), ErrMalformed and ErrForbidden, each with a hint, or those of the connection.
func Fetch(ctx context.Context, c *kube.Client, opts FetchOptions) (*Kubeconfig, error) {
	if err := checkNames(opts); err != nil {
		return nil, err
	}
	f := &fetcher{c: c, opts: opts}
	if opts.Wait {
		return f.wait(ctx)
	}
	return f.once(ctx)
}

func checkNames(opts FetchOptions) error {
	if err := naming.Subdomain("cluster name", opts.Name); err != nil {
		return err
	}
	return naming.Label("namespace", opts.Namespace)
}

// fetcher is one Fetch.
type fetcher struct {
	c    *kube.Client
	opts FetchOptions
}

func (f *fetcher) once(ctx context.Context) (*Kubeconfig, error) {
	secret, err := f.secret(ctx)
	if err != nil {
		return nil, err
	}
	if secret == nil {
		return nil, f.explain(ctx)
	}
	return secret.kubeconfig()
}

func (f *fetcher) wait(ctx context.Context) (*Kubeconfig, error) {
	w := &awaited{f: f}
	if err := kube.Wait(ctx, f.opts.Sink, waitStep, waitInterval, w); err != nil {
		return nil, err
	}
	return w.found, nil
}
