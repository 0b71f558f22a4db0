// SPDX-License-Identifier: Apache-2.0

// Command parts makes, serves and describes everything that the demo, the
// tests and CI need besides clusterctl itself: a Kubernetes control plane,
// the Cluster API managers as binaries and as images, and a provider
// repository with their components. See ../README.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], cli.Process{Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
