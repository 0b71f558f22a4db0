// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"

	"github.com/clusterctl/clusterctl/pkg/workload"
)

// ErrNoName says that nothing names the Cluster.
var ErrNoName = errors.New("the name of the cluster is missing")

// NameFromInputs finds the name of the Cluster in the files, for commands that were called without one, as the first
// clusterctl was. Standard input can't be read for it: it is needed again. It returns
// ErrNoName where no file that can be read names one.
func NameFromInputs(ctx context.Context, opts CreateOptions, host Host) (string, error) {
	in := opts.Inputs
	files := in.Files
	if in.ClusterFile != "" {
		files = []string{in.ClusterFile}
	}
	if len(files) == 0 {
		return "", ErrNoName
	}
	for _, f := range files {
		if f == "-" {
			return "", ErrNoName
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
