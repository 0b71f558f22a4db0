// SPDX-License-Identifier: Apache-2.0

// Command cni is a pod network for nodes that are in one network: on each node
// it writes the configuration of the standard plug-ins for the node's pod
// range, and keeps a route to the pod range of each other node.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// interval is how often the nodes are listed.
const interval = 2 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	self, last := os.Getenv("NODE_NAME"), ""
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		message := "network of " + self + " is set up"
		if err := arrange(ctx, self, "/etc/cni/net.d"); err != nil {
			message = err.Error()
		}
		if message != last {
			fmt.Println(message)
			last = message
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// arrange makes this node's network as the nodes of the cluster need it now.
func arrange(ctx context.Context, self, dir string) error {
	nodes, err := listNodes(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if node.Metadata.Name == self {
			if err := writeConfig(dir, node.Spec.PodCIDR); err != nil {
				return err
			}
		}
	}
	return setRoutes(routes(nodes, self))
}
