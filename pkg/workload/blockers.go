// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// maxBlockers is how many blockers are reported: the first is the deepest cause, the others are context.
const maxBlockers = 5

// BlockerOptions say how far Blockers looks.
type BlockerOptions struct {
	// Logs reads controllers' logs; nil: log lines are left out.
	Logs LogsFunc
}

// Blockers says what a cluster waits for, the deepest cause first; none if it is available. It walks from the Cluster to its
// infrastructure, control plane and Machines and to the objects behind those. A Cluster that is being deleted is asked for what
// keeps it. The error is that of the API server; a Cluster that isn't there is NotFound.
func Blockers(ctx context.Context, c *kube.Client, key types.NamespacedName, opts BlockerOptions) ([]Blocker, error) {
	u, err := getCluster(ctx, c, key)
	if err != nil {
		return nil, fmt.Errorf("read Cluster %s: %w", key, err)
	}
	state := capi.ReadCluster(u)
	if state.Available && !state.Paused {
		return nil, nil
	}
	return blockersOf(ctx, c, u, newEvidence(c, opts.Logs))
}

// blockersOf also returns what it found before an error.
func blockersOf(ctx context.Context, c *kube.Client, cluster *unstructured.Unstructured, e *evidence) ([]Blocker, error) {
	w := &walk{c: c, cluster: cluster, state: capi.ReadCluster(cluster)}
	var err error
	if w.state.Deleting {
		err = w.deletion(ctx)
	} else {
		err = w.provisioning(ctx)
	}
	var out []Blocker
	for i := range w.found {
		if len(out) == maxBlockers {
			break
		}
		e.complete(ctx, &w.found[i])
		out = append(out, w.found[i].Blocker)
	}
	return out, err
}

// textOf is all blockers for an error, one after the other.
func textOf(blockers []Blocker, now time.Time) []string {
	var lines []string
	for _, b := range blockers {
		lines = append(lines, b.Lines(now)...)
	}
	return lines
}
