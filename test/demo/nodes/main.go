// SPDX-License-Identifier: Apache-2.0

// Command nodes lists the nodes that a kubeconfig shows, and fails unless there
// are as many as it was told: the demo's stand-in for kubectl, which a fresh machine doesn't have.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: nodes KUBECONFIG COUNT")
	}
	want, err := strconv.Atoi(args[1])
	if err != nil {
		return fmt.Errorf("count %q: %w", args[1], err)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", args[0])
	if err != nil {
		return err
	}
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	nodes, err := c.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range nodes.Items {
		fmt.Printf("%-60s %s\n", n.Name, n.Spec.ProviderID)
	}
	if len(nodes.Items) != want {
		return fmt.Errorf("%d nodes, want %d", len(nodes.Items), want)
	}
	return nil
}
