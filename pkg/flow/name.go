// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// NameFromInputs finds the name of the Cluster in the files, for commands that were called without one, as the first
// clusterctl was. Standard input can't be read for it: it is needed again.
func NameFromInputs(ctx context.Context, opts CreateOptions, host Host) (string, error) {
	in := opts.Inputs
	files := in.Files
	if in.ClusterFile != "" {
		files = []string{in.ClusterFile}
	}
	needName := fault.WithHint(fault.Usagef("the name of the cluster is missing"), "give it as an argument: create cluster NAME")
	if len(files) == 0 {
		return "", needName
	}
	for _, f := range files {
		if f == "-" {
			return "", needName
		}
	}
	c := &Create{opts: opts, host: host, record: &Record{Namespace: opts.Namespace, Inputs: in}}
	objs, err := c.readObjects(ctx, files...)
	if err != nil {
		return "", err
	}
	set, err := workload.Load(objs, workload.LoadOptions{Namespace: opts.Namespace})
	if err != nil {
		return "", err
	}
	return set.Name, nil
}
