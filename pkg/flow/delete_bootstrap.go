// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// HoldsClustersError says that a bootstrap cluster can't go because it manages clusters.
type HoldsClustersError struct {
	// Bootstrap is its name, Clusters are those it holds, as namespace/name.
	Bootstrap string
	Clusters  []string
}

// Error names the clusters.
func (e *HoldsClustersError) Error() string {
	return fmt.Sprintf("bootstrap cluster %q still manages %s: %s", e.Bootstrap, event.Count(len(e.Clusters), "cluster"), strings.Join(e.Clusters, ", "))
}

// DeleteBootstrap deletes a bootstrap cluster of ours. It brings it back first if it must, to ask it what it
// holds: one that still holds Clusters is the only one that knows their infrastructure, so it stays, and the error
// wraps *HoldsClustersError. With abandon it goes all the same. While a run for one of its clusters is at work it is refused either way.
func DeleteBootstrap(ctx context.Context, b bootstrap.Cluster, h Host, abandon bool) (string, error) {
	unlock, err := lockRunsOn(b, h)
	if err != nil {
		return "", err
	}
	defer unlock()
	return deleteBootstrap(ctx, b, h, abandon)
}

// lockRunsOn takes the locks of all runs whose bootstrap cluster it is: one that is at work is about to put a cluster on it.
func lockRunsOn(b bootstrap.Cluster, h Host) (unlock func(), err error) {
	records := OpenRecords(h.Dirs.State)
	all, err := records.List()
	if err != nil {
		return nil, err
	}
	var unlocks []func()
	unlock = func() {
		for _, u := range unlocks {
			u()
		}
	}
	for _, rec := range all {
		if rec.Bootstrap.Type != b.Type() || rec.Bootstrap.Name != b.Name() || rec.Bootstrap.Itself {
			continue
		}
		u, err := records.Lock(rec.Namespace, rec.Name, h.Command)
		if err != nil {
			unlock()
			return nil, fmt.Errorf("bootstrap cluster %q is in use: %w", b.Name(), err)
		}
		unlocks = append(unlocks, u)
	}
	return unlock, nil
}

// deleteBootstrap is that for a run on it, which has its own lock.
func deleteBootstrap(ctx context.Context, b bootstrap.Cluster, h Host, abandon bool) (string, error) {
	st, err := b.Status(ctx)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s bootstrap cluster %q", b.Type(), b.Name())
	if st.State == bootstrap.Missing {
		// Delete all the same: a half deleted one may have left something behind.
		return name + " isn't there", b.Delete(ctx, h.Sink)
	}
	if !abandon {
		if err := checkEmpty(ctx, b, h); err != nil {
			return "", err
		}
	}
	if err := b.Delete(ctx, h.Sink); err != nil {
		return "", err
	}
	return name + " deleted", nil
}

// checkEmpty makes sure that a bootstrap cluster holds no Clusters.
func checkEmpty(ctx context.Context, b bootstrap.Cluster, h Host) error {
	if err := b.BringBack(ctx, within(StepDeleteBootstrap, h.Sink)); err != nil {
		return fault.WithHint(fmt.Errorf("ask bootstrap cluster %q which clusters it holds: %w", b.Name(), err),
			"if it can't be brought back and its clusters' infrastructure is gone: clusterctl delete bootstrap %s --abandon-clusters", b.Name())
	}
	held, err := Held(ctx, b, h)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		return fault.WithHint(fault.WithCode(fault.Refused, &HoldsClustersError{Bootstrap: b.Name(), Clusters: held}),
			"delete them first: clusterctl delete cluster NAME -n NAMESPACE --kubeconfig %s", b.Kubeconfig())
	}
	return nil
}

// Held lists the Clusters that a running bootstrap cluster manages, as namespace/name.
func Held(ctx context.Context, b bootstrap.Cluster, h Host) ([]string, error) {
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: b.Kubeconfig(), Getenv: h.Getenv})
	if err != nil {
		return nil, err
	}
	client, err := kube.New(cfg.REST, kube.Options{UserAgent: h.UserAgent, Sink: event.Discard{}})
	if err != nil {
		return nil, err
	}
	states, err := workload.List(ctx, client, "")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range states {
		out = append(out, s.Namespace+"/"+s.Name)
	}
	return out, nil
}
