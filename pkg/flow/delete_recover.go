// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// lost says whether a cluster that was moved out of itself has lost the bootstrap cluster that it was moved to, so that the snapshot of
// that move is the only copy of its objects.
func (d *Delete) lost(ctx context.Context) (bool, error) {
	rec := d.record
	if rec.Pivot == Recovering {
		return true, nil
	}
	if rec.Snapshot == "" || rec.Bootstrap.Type == bootstrap.Existing || rec.Pivot != NotPivoted && rec.Pivot != Returning {
		return false, nil
	}
	if _, err := os.Stat(rec.Snapshot); err != nil {
		return false, nil // What needs the bootstrap cluster says that it is gone.
	}
	st, err := d.boot.Status(ctx)
	if err != nil || st.State != bootstrap.Missing {
		return false, err
	}
	if rec.Pivot != Returning {
		return true, nil
	}
	within, stop := context.WithTimeout(ctx, selfWait)
	defer stop()
	inside, err := d.stillInside(within)
	switch {
	case err == nil:
		return !inside, nil
	case ctx.Err() != nil || fault.CodeOf(err) == fault.Refused || !rec.Released:
		// What doesn't answer may be alive, and act on objects that the snapshot knows in an older state.
		return false, fault.WithHint(fmt.Errorf("the %s is not there, and whether cluster %s has its objects still can't be seen: %w", describeBootstrap(rec.Bootstrap), d.Key(), err),
			"make the cluster reachable again; if it is gone for good: clusterctl move --from-directory %s brings its objects into another management cluster", rec.Snapshot)
	}
	return true, nil
}

// recoverSteps bring the objects back from the snapshot, to a bootstrap cluster that is made anew.
func (d *Delete) recoverSteps() []Step {
	return []Step{
		{Info: Info{StepBootstrap, "Make the bootstrap cluster anew: the one that held the cluster's objects is gone"}, Run: d.anewBootstrap},
		d.keptUp(Step{Info: Info{StepProviders, "Install the cluster's providers there"}, Run: d.anewProviders}),
		d.keptUp(Step{Info: Info{StepRestore, "Bring the cluster's objects back from the snapshot"}, Run: d.restoreSnapshot}),
	}
}

func (d *Delete) anewBootstrap(ctx context.Context) (string, error) {
	if d.record.Pivot != Recovering {
		event.Notef(d.host.Sink, "the objects of cluster %s are in %s", d.Key(), d.record.Snapshot)
		d.record.Pivot, d.record.Deleting = Recovering, false
		if err := d.records.Save(d.record); err != nil {
			return "", err
		}
	}
	st, err := d.boot.Status(ctx)
	if err != nil {
		return "", err
	}
	if st.State == bootstrap.Missing { // A record of it may be left, which would keep it from being made anew.
		if err := d.boot.Delete(ctx, within(StepBootstrap, d.host.Sink)); err != nil {
			return "", err
		}
	}
	if err := d.boot.Ensure(ctx, within(StepBootstrap, d.host.Sink)); err != nil {
		return "", err
	}
	return describeBootstrap(d.record.Bootstrap) + " runs", nil
}

func (d *Delete) anewProviders(ctx context.Context) (string, error) {
	target, err := connect(d.host, d.boot.Kubeconfig(), "", nil)
	if err != nil {
		return "", err
	}
	defer target.Close()
	config, err := d.host.config(ctx)
	if err != nil {
		return "", err
	}
	comps, err := d.snapshotComponents(ctx, config)
	if err != nil {
		return "", err
	}
	res, err := provider.Install(ctx, target, comps, provider.InstallOptions{
		Prepare: d.boot.Prepare, Sink: d.reasons().Sink(ctx), Step: StepProviders, Config: config, WebhookCerts: provider.AutoCerts,
	})
	if err != nil {
		return "", d.reasons().Explain(ctx, err)
	}
	return fmt.Sprintf("%s serve: %s", providerNames(comps), installSummary(res)), nil
}

// snapshotComponents are the providers that the cluster had when it was moved, with the features that its objects need.
func (d *Delete) snapshotComponents(ctx context.Context, config *provider.Config) ([]*provider.Components, error) {
	held, err := move.PreviewRestore(ctx, move.RestoreOptions{Dir: d.record.Snapshot})
	if err != nil {
		return nil, err
	}
	var releases []*provider.Release
	for _, label := range slices.Sorted(maps.Keys(d.record.Providers)) {
		t, name, ok := provider.ParseLabel(label)
		if !ok {
			continue
		}
		r, err := config.Resolve(ctx, provider.Spec{Type: t, Name: name, Version: d.record.Providers[label]})
		if err != nil {
			return nil, err
		}
		releases = append(releases, r)
	}
	values := config.Lookup(nil)
	if (&plan{backup: held}).backupHasTopology() {
		values = withTopology(values)
	}
	return provider.LoadComponents(ctx, releases, provider.ComponentOptions{Lookup: values})
}

func (d *Delete) restoreSnapshot(ctx context.Context) (string, error) {
	target, err := connect(d.host, d.boot.Kubeconfig(), "", nil)
	if err != nil {
		return "", err
	}
	defer target.Close()
	outcome := "the objects are there already"
	begun, err := move.Inspect(ctx, target)
	if err != nil {
		return "", err
	}
	there, err := holdsCluster(ctx, target, d.opts.Namespace, d.opts.Name)
	if err != nil {
		return "", err
	}
	if begun != nil || !there {
		r, err := move.Restore(ctx, move.RestoreOptions{
			Target: target, Dir: d.record.Snapshot, Part: true, By: d.host.Self, Alive: d.host.Alive, Sink: within(StepRestore, d.reasons().Sink(ctx)),
		})
		if err != nil {
			return "", d.reasons().Explain(ctx, err)
		}
		outcome = event.Count(r.Objects, "object") + " restored"
	}
	d.record.Pivot, d.mgmt = NotPivoted, nil
	return outcome, d.records.Save(d.record)
}
