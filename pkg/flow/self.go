// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
)

// selfWait is how long a cluster has to say who it is.
const selfWait = 10 * time.Second

// managesItself says whether the API server of a Cluster is the one that holds its object.
func managesItself(ctx context.Context, c *kube.Client, namespace, name string) (bool, error) {
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
	within, stop := context.WithTimeout(ctx, selfWait)
	defer stop()
	own, err := uidOf(within, c, namespace, name)
	if err == nil {
		return own == uid, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	// It doesn't answer, or has no kubeconfig yet: then its address has to tell.
	u, err := c.Get(ctx, gvk, namespace, name)
	if err != nil {
		return false, err
	}
	return sameAddress(capi.ReadCluster(u).Endpoint, c.Host()), nil
}

// uidOf asks a workload cluster which one it is.
func uidOf(ctx context.Context, c *kube.Client, namespace, name string) (string, error) {
	k, err := kubeconfig.Fetch(ctx, c, kubeconfig.FetchOptions{Namespace: namespace, Name: name, Internal: true})
	if err != nil {
		return "", err
	}
	cfg, err := k.RESTConfig()
	if err != nil {
		return "", err
	}
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
