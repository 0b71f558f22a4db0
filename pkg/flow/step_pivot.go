// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/existing"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	moveplan "github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// waitInterval is the pause between two looks at a cluster.
const waitInterval = 500 * time.Millisecond

// pivotProviders installs the providers in the cluster itself. Their controllers stand at zero: the pivot starts them, once those
// of the bootstrap cluster are down.
func (c *Create) pivotProviders(ctx context.Context) (string, error) {
	guest, err := c.itself(ctx)
	if err != nil {
		return "", err
	}
	if c.cantHold, err = c.askWhetherItHolds(ctx, guest); err != nil {
		return "", err
	}
	if c.cantHold != "" {
		return c.cantHoldOutcome()
	}
	if begun, err := c.pivotBegun(ctx, guest); err != nil || begun {
		return "installed already: the move has begun", err
	}
	source, err := c.management(ctx)
	if err != nil {
		return "", err
	}
	comps, err := c.pivotComponents(ctx, source)
	if err != nil {
		return "", err
	}
	certs := c.record.Inputs.webhookCerts()
	if own, err := provider.OwnCerts(ctx, guest, comps, certs); err != nil {
		return "", err
	} else if !own { // cert-manager is asked, or even awaited, and without nodes it can't run.
		if err := c.awaitNodes(ctx, StepPivotProviders); err != nil {
			return "", err
		}
	}
	return installHeld(ctx, guest, comps, existing.New(c.selfKubeconfig(), ""), c.host, StepPivotProviders, certs, nil)
}

// askWhetherItHolds asks the cluster why it can't be a management cluster, until it answers: an initialised control plane may not do that
// yet, when after a restore its controllers have only just taken it up.
func (c *Create) askWhetherItHolds(ctx context.Context, guest *kube.Client) (why string, err error) {
	answers := kube.ConditionFunc("the API server of cluster "+c.key().String(), func(ctx context.Context) (_ bool, _ string, err error) {
		why, err = cantHoldControllers(ctx, guest)
		return err == nil, "", err
	})
	err = kube.Wait(ctx, c.host.Sink, StepPivotProviders, waitInterval, answers)
	return why, err
}

// cantHoldOutcome goes on without a pivot, unless one was asked for.
func (c *Create) cantHoldOutcome() (string, error) {
	if p := c.record.Inputs.Pivot; p != nil && *p {
		return "", fault.WithHint(fault.Refusedf("--pivot: %s", c.cantHold), "clusterctl create cluster %s -n %s --pivot=false leaves it managed by the %s",
			c.record.Name, c.record.Namespace, describeBootstrap(c.record.Bootstrap))
	}
	return "not possible: " + c.cantHold, nil
}

// pivotBegun says whether a move into the cluster has begun, or has even come to its end: its providers are no longer to be held then.
func (c *Create) pivotBegun(ctx context.Context, guest *kube.Client) (bool, error) {
	if c.record.Pivot != Pivoting {
		return false, nil
	}
	if st, err := move.Inspect(ctx, guest); err != nil || st != nil {
		return st != nil, err
	}
	return holdsCluster(ctx, guest, c.record.Namespace, c.record.Name)
}

// pivotComponents are the providers that the cluster gets: those of the bootstrap cluster.
func (c *Create) pivotComponents(ctx context.Context, source *kube.Client) ([]*provider.Components, error) {
	p, err := c.readPlan(ctx)
	if err != nil {
		return nil, err
	}
	if len(p.components) == 0 {
		return componentsLike(ctx, source, c.host.Config, c.opts.Set)
	}
	return p.components, c.topology(ctx, source, p)
}

// pivot moves the cluster's objects into the cluster itself and waits until it manages itself.
func (c *Create) pivot(ctx context.Context) (string, error) {
	source, err := c.fast(ctx)
	if err != nil {
		return "", err
	}
	defer source.Close()
	target, err := c.itself(ctx)
	if err != nil {
		return "", err
	}
	if c.record.Pivot == NotPivoted {
		self := BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: c.record.Kubeconfig, Itself: true}
		if err := kube.Retry(ctx, func(ctx context.Context) error { return self.identify(ctx, target) }); err != nil {
			return "", err
		}
		c.record.Pivot, c.record.Self = Pivoting, &self
		if err := c.records.Save(c.record); err != nil {
			return "", err
		}
	}
	t := transfer{namespace: c.record.Namespace, name: c.record.Name, source: source, target: target, host: c.host, step: StepPivot}
	t.kept = func(snapshot string) error {
		c.record.keep(snapshot)
		return c.records.Save(c.record)
	}
	scope := moveplan.Scope{Clusters: []types.NamespacedName{c.key()}}
	if t.discard, err = c.bootstrapGoes(ctx, source); err != nil {
		return "", err
	}
	if t.discard {
		scope = moveplan.Scope{All: true}
	}
	moved, err := t.run(ctx, scope)
	if err != nil {
		return "", err
	}
	if err := c.waitItself(ctx, target); err != nil {
		return "", fmt.Errorf("the objects are in the cluster, and it doesn't manage itself yet: %w", err)
	}
	c.record.Pivot, c.record.Snapshot, c.record.Released = Pivoted, "", false
	return moved + "; the cluster manages itself", c.records.Save(c.record)
}

// waitItself waits until the cluster's own controllers have taken it up and find it available.
func (c *Create) waitItself(ctx context.Context, target *kube.Client) error {
	taken := kube.ConditionFunc("cluster "+c.key().String(), func(ctx context.Context) (bool, string, error) {
		gvk, err := capi.ClusterGVK(ctx, target)
		if err != nil {
			return false, "", err
		}
		u, err := target.Get(ctx, gvk, c.record.Namespace, c.record.Name)
		if err != nil {
			return false, "", err
		}
		paused := capi.FindCondition(capi.Conditions(u), capi.ConditionPaused)
		return paused == nil || paused.Status != "True", "its own controllers haven't taken it up yet", nil
	})
	if err := kube.Wait(ctx, c.host.Sink, StepPivot, waitInterval, taken); err != nil {
		return err
	}
	opts := workload.WaitOptions{Sink: c.host.Sink, Step: StepPivot, Logs: existing.New(c.selfKubeconfig(), "").Logs}
	_, err := c.awaitAvailable(ctx, target, opts)
	return err
}

// bootstrapGoes says whether the bootstrap cluster is deleted as a whole after the pivot: it is ours, and holds nothing else.
func (c *Create) bootstrapGoes(ctx context.Context, source *kube.Client) (bool, error) {
	if !c.record.Bootstrap.Made || c.record.Inputs.KeepBootstrap {
		return false, nil
	}
	others, err := siblings(c.records, c.record)
	if err != nil || len(others) > 0 {
		return false, err
	}
	held, err := workload.List(ctx, source, "")
	return len(held) == 1 && held[0].Name == c.record.Name && held[0].Namespace == c.record.Namespace, err
}

// fast connects to the bootstrap cluster as a move wants it.
func (c *Create) fast(ctx context.Context) (*kube.Client, error) {
	return reach(ctx, c.host, c.boot.Kubeconfig(), c.record.Bootstrap, c.record.rightOne(), c.toManagement)
}

// itself connects to the cluster as the management cluster that it becomes, once. The kubeconfig is kept beside the run record
// until the cluster manages itself: the Secret moves on the way.
func (c *Create) itself(ctx context.Context) (*kube.Client, error) {
	if c.self != nil {
		return c.self, nil
	}
	path := c.selfKubeconfig()
	if !isFile(path) {
		k, err := c.fetchKubeconfig(ctx, true)
		if err != nil {
			return nil, err
		}
		if err := writePrivate(path, k.Bytes()); err != nil {
			return nil, err
		}
	}
	var err error
	c.self, err = connect(c.host, path, "", c.toWorkload)
	return c.self, err
}

func (c *Create) selfKubeconfig() string {
	return c.records.kubeconfigPath(c.record.Namespace, c.record.Name)
}

// kubeconfigPath is where the kubeconfig of a cluster is while its objects move.
func (r *Records) kubeconfigPath(namespace, name string) string {
	return filepath.Join(r.dir, namespace+"_"+name+".kubeconfig")
}
