// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

const readyPoll = 500 * time.Millisecond

// waitReady waits until the API server answers and every node can run pods, and always says what it still waits for.
func (c *Cluster) waitReady(ctx context.Context, sink event.Sink) (version, endpoint string, err error) {
	limited, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	client, err := c.client()
	if err != nil {
		return "", "", err
	}
	defer client.Close()
	said := ""
	for {
		info, why := look(limited, client)
		if why == "" {
			return info.Version, client.Host(), nil
		}
		if ctx.Err() != nil {
			return "", "", fmt.Errorf("wait for the cluster: %s: %w", orElse(said, why), context.Cause(ctx))
		}
		if limited.Err() != nil {
			return "", "", fault.Timeoutf("wait for the cluster: not ready after %s: %s", c.opts.StartTimeout, orElse(said, why))
		}
		if why != said {
			said = why
			event.Progressf(sink, stepEnsure, "waiting: %s", why)
		}
		select {
		case <-limited.Done():
		case <-time.After(readyPoll):
		}
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// look says why the cluster isn't ready; "" means that it is.
func look(ctx context.Context, client *kube.Client) (kube.ServerInfo, string) {
	info, err := client.Ping(ctx)
	if err != nil {
		return info, err.Error()
	}
	nodes, err := client.List(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Node"}, kube.ListOptions{})
	if err != nil {
		return info, err.Error()
	}
	if len(nodes) == 0 {
		return info, "no node has registered yet"
	}
	var not []string
	for _, n := range nodes {
		if why := notReady(n); why != "" {
			not = append(not, fmt.Sprintf("node %s: %s", n.GetName(), why))
		}
	}
	return info, strings.Join(not, "; ")
}

// notReady says why a node can't run pods.
func notReady(node *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(node.Object, "status", "conditions")
	for _, item := range conditions {
		cond, _ := item.(map[string]any)
		if cond["type"] != "Ready" {
			continue
		}
		if cond["status"] == "True" {
			return ""
		}
		message, _ := cond["message"].(string)
		return orElse(message, "not ready")
	}
	return "its kubelet hasn't said anything yet"
}
