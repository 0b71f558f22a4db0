// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// AddonOptions say how addons are applied.
type AddonOptions struct {
	// Sink gets the progress, Step is the step it belongs to.
	Sink event.Sink
	Step string
	// Wait waits until everything applied is ready, until ctx's deadline.
	Wait bool
}

// ApplyAddons applies objects to a cluster's own API server, server-side, in their order of dependence. What can heal is
// tried again until ctx's deadline: a young control plane refuses connections now and then.
func ApplyAddons(ctx context.Context, workload *kube.Client, objs []*unstructured.Unstructured, opts AddonOptions) (kube.ApplyResult, error) {
	result, err := workload.Apply(ctx, objs, kube.ApplyOptions{SkipUnchanged: true, Step: opts.Step})
	if err != nil {
		return result, fmt.Errorf("apply addons: %w", err)
	}
	if !opts.Wait {
		return result, nil
	}
	if err := kube.Wait(ctx, opts.Sink, opts.Step, DefaultInterval, workload.Readiness(objs)...); err != nil {
		return result, fmt.Errorf("wait for addons: %w", err)
	}
	return result, nil
}
