// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// DefaultInterval is how often a Cluster is read while a wait goes on.
const DefaultInterval = 2 * time.Second

// lookAgain is how long what blocks is believed while the Cluster object doesn't change.
const lookAgain = 10 * time.Second

// WaitOptions say how a wait is done.
type WaitOptions struct {
	// Sink gets the progress; nil: nobody.
	Sink event.Sink
	// Step is the step that progress belongs to.
	Step string
	// Interval is the time between two looks; zero means DefaultInterval.
	Interval time.Duration
	// Logs reads controllers' logs, to say why something hangs; nil: log lines are left out.
	Logs LogsFunc
}

func (o WaitOptions) interval() time.Duration {
	if o.Interval > 0 {
		return o.Interval
	}
	return DefaultInterval
}

// WaitInfrastructure waits until a cluster's infrastructure is provisioned, until ctx's deadline.
//
// This and the other waits return an error of class fault.Timeout at the deadline, which names what blocked; of class
// fault.Interrupted when ctx was cancelled; and at once, without waiting on, when the Cluster is gone or being deleted or
// when its controllers gave up on it.
func WaitInfrastructure(ctx context.Context, c *kube.Client, key types.NamespacedName, opts WaitOptions) error {
	return wait(ctx, c, key, opts, "infrastructure",
		func(_ context.Context, s capi.ClusterState) (bool, string, error) {
			return s.InfrastructureReady, "", nil
		})
}

// WaitControlPlaneInitialized waits until a cluster's API server answers, until ctx's deadline.
func WaitControlPlaneInitialized(ctx context.Context, c *kube.Client, key types.NamespacedName, opts WaitOptions) error {
	return wait(ctx, c, key, opts, "control plane",
		func(_ context.Context, s capi.ClusterState) (bool, string, error) {
			return s.ControlPlaneInitialized, "", nil
		})
}

// WaitAvailable waits until a cluster is available, until ctx's deadline. Where the version has no Available
// condition it is Ready and all its Machines have a Node.
func WaitAvailable(ctx context.Context, c *kube.Client, key types.NamespacedName, opts WaitOptions) error {
	machines := &census{c: c}
	return wait(ctx, c, key, opts, "",
		func(ctx context.Context, s capi.ClusterState) (bool, string, error) {
			if !s.Available || s.HasAvailable {
				return s.Available, "", nil
			}
			p, err := machines.count(ctx, s)
			return err == nil && p.joined(), p.String(), err
		})
}

// WaitMachines waits until all Machines that the cluster asks for exist and have a Node, until ctx's deadline.
func WaitMachines(ctx context.Context, c *kube.Client, key types.NamespacedName, opts WaitOptions) error {
	machines := &census{c: c}
	return wait(ctx, c, key, opts, "Machines",
		func(ctx context.Context, s capi.ClusterState) (bool, string, error) {
			p, err := machines.count(ctx, s)
			return err == nil && p.joined(), p.String(), err
		})
}

func wait(ctx context.Context, c *kube.Client, key types.NamespacedName, opts WaitOptions, what string, done doneFunc) error {
	w := &watch{c: c, key: key, what: what, done: done, evidence: newEvidence(c, opts.Logs), began: time.Now()}
	err := kube.Wait(ctx, opts.Sink, opts.Step, opts.interval(), w)
	return w.explain(ctx, err)
}
