// SPDX-License-Identifier: Apache-2.0

// Command clusterctl takes a person from nothing to a Kubernetes cluster run by Cluster API, and back to nothing.
package main

import (
	"context"
	"os"

	"github.com/clusterctl/clusterctl/pkg/cli"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

func main() {
	streams := ui.NewStreams(os.Stdin, os.Stdout, os.Stderr)
	os.Exit(cli.Main(context.Background(), os.Args, streams, os.LookupEnv))
}
