// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
)

// selfWait is how long a cluster has to say who it is.
const selfWait = 10 * time.Second

// managesItself says whether the cluster that is to be deleted manages itself. What the record says counts: it is the same cluster, and
// it may be reached by a way that hides it.
func (d *Delete) managesItself(ctx context.Context, c *kube.Client) (bool, error) {
	if d.record != nil && d.record.Bootstrap.Itself {
		return holdsCluster(ctx, c, d.opts.Namespace, d.opts.Name)
	}
	return managesItself(ctx, c, d.opts.Namespace, d.opts.Name, selfWait)
}

// managesItself says whether the API server of a Cluster is the one that holds its object: by the UID of its kube-system namespace where
// it answers in time, else by its address, else by its certificate authority. Where none of them tells it is refused: a cluster that is
// deleted inside itself loses its controllers before its infrastructure is gone.
func managesItself(ctx context.Context, c *kube.Client, namespace, name string, patience time.Duration) (bool, error) {
	gvk, err := capi.ClusterGVK(ctx, c)
	if errors.Is(err, capi.ErrNotInstalled) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if there, err := holdsCluster(ctx, c, namespace, name); err != nil || !there {
		return false, err
	}
	uid, err := c.UID(ctx)
	if err != nil {
		return false, err
	}
	cfg, err := ownConfig(ctx, c, namespace, name, patience)
	if err != nil {
		return false, err
	}
	if cfg != nil {
		if own, err := uidOf(ctx, cfg, patience); err == nil {
			return own == uid, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	u, err := c.Get(ctx, gvk, namespace, name)
	if err != nil {
		return false, err
	}
	if sameAddress(capi.ReadCluster(u).Endpoint, c.Host()) || cfg != nil && cfg.Host == c.Host() {
		return true, nil
	}
	if cfg == nil { // Without a kubeconfig it never came as far as to hold controllers.
		return false, nil
	}
	same, known, err := sameAuthority(ctx, c, namespace, cfg)
	if err != nil || known {
		return same, err
	}
	return false, fault.WithHint(fault.Refusedf("whether cluster %s/%s manages itself can't be seen: its API server %s doesn't answer, and nothing tells whether %s is another one",
		namespace, name, cfg.Host, c.Host()), "use a kubeconfig that names the server's certificate authority (certificate-authority-data), or have %s answer", cfg.Host)
}

// ownConfig is how the controllers reach a workload cluster; nil: that isn't known, or not to us.
func ownConfig(ctx context.Context, c *kube.Client, namespace, name string, patience time.Duration) (*rest.Config, error) {
	within, stop := context.WithTimeout(ctx, patience)
	defer stop()
	k, err := kubeconfig.Fetch(within, c, kubeconfig.FetchOptions{Namespace: namespace, Name: name, Internal: true})
	switch {
	case errors.Is(err, kubeconfig.ErrNotReady), errors.Is(err, kubeconfig.ErrMalformed), errors.Is(err, kubeconfig.ErrForbidden):
		return nil, nil
	case err != nil:
		return nil, err
	}
	cfg, err := k.RESTConfig()
	if err != nil {
		return nil, nil // It is as good as none.
	}
	return cfg, nil
}

// uidOf asks a workload cluster which one it is.
func uidOf(ctx context.Context, cfg *rest.Config, patience time.Duration) (string, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	guest, err := kube.New(cfg, kube.Options{Sink: event.Discard{}})
	if err != nil {
		return "", err
	}
	defer guest.Close()
	return guest.UID(ctx)
}

// sameAddress compares host:port with the URL of an API server.
func sameAddress(endpoint, server string) bool {
	u, err := url.Parse(server)
	if err != nil || endpoint == "" {
		return false
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	return endpoint == net.JoinHostPort(u.Hostname(), port)
}
