// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move"
	moveplan "github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// look finds out, before anything is changed, whether the cluster manages itself: then it is moved out to a bootstrap cluster first, as
// it can't delete the machines that it runs on. It is refused where others would lose their management cluster with it.
func (d *Delete) look(ctx context.Context) error {
	if err := d.adopt(ctx); err != nil || d.looked || d.finishing() {
		return err
	}
	d.looked = true
	if d.record != nil {
		var err error
		if d.recovering, err = d.lost(ctx); err != nil || d.recovering {
			return err
		}
		switch d.record.Pivot {
		case Returning:
			d.self = true
			return nil
		case Pivoting, Pivoted:
			return d.halfPivoted(ctx)
		}
		if d.record.Bootstrap.Type != bootstrap.Existing {
			return nil
		}
	}
	client, err := d.management(ctx)
	if err != nil {
		return err
	}
	if d.record == nil { // A server that doesn't answer, and a name that isn't there, are said before a step begins.
		if err := answers(ctx, client); err != nil {
			return err
		}
		if err := workload.CheckThere(ctx, client, d.Key()); err != nil {
			return err
		}
	}
	if d.self, err = d.managesItself(ctx, client); err != nil || !d.self {
		return err
	}
	return d.checkOthers(ctx, client)
}

// halfPivoted lets the deletion of a cluster go on whose move into itself never began or was rolled back.
func (d *Delete) halfPivoted(ctx context.Context) error {
	pivoting := fault.WithHint(fault.Refusedf("cluster %s is being moved into itself", d.Key()),
		"finish that first: clusterctl create cluster %s -n %s", d.opts.Name, d.opts.Namespace)
	if d.record.Pivot == Pivoted {
		return pivoting
	}
	client, err := d.management(ctx)
	if err != nil {
		return err
	}
	st, err := move.Inspect(ctx, client)
	if err != nil {
		return err
	}
	here, err := holdsCluster(ctx, client, d.opts.Namespace, d.opts.Name)
	if err != nil {
		return err
	}
	if st != nil || !here {
		return pivoting
	}
	d.record.Pivot, d.record.Self, d.changed = NotPivoted, nil, true
	return nil
}

// checkOthers finds the other clusters that this one manages.
func (d *Delete) checkOthers(ctx context.Context, client *kube.Client) error {
	states, err := workload.List(ctx, client, "")
	if err != nil {
		return err
	}
	d.others = nil
	var names []string
	for _, s := range states {
		if s.Name != d.opts.Name || s.Namespace != d.opts.Namespace {
			d.others = append(d.others, s)
			names = append(names, s.Namespace+"/"+s.Name)
		}
	}
	if len(names) == 0 || d.opts.All {
		return nil
	}
	return fault.WithHint(fault.Refusedf("cluster %s manages itself, and also %s", d.Key(), strings.Join(names, ", ")),
		"move them away first (clusterctl move NAME --to-kubeconfig FILE), delete them, or delete all with --all")
}

func (d *Delete) skipSelf() string {
	if !d.self {
		return "another cluster manages it"
	}
	return ""
}

func (d *Delete) skipOthers() string {
	if len(d.others) == 0 {
		return "it manages no others"
	}
	return ""
}

// deleteOthers deletes the other clusters that it manages, with its own controllers.
func (d *Delete) deleteOthers(ctx context.Context) (string, error) {
	client, err := d.management(ctx)
	if err != nil {
		return "", err
	}
	if err := checkNoMove(ctx, client); err != nil {
		return "", err
	}
	for _, s := range d.others {
		_, err := workload.Delete(ctx, client, workload.DeleteOptions{
			Namespace: s.Namespace, Name: s.Name, Again: d.again(),
			WaitOptions: workload.WaitOptions{Sink: d.host.Sink, Step: StepDeleteOthers, Logs: d.boot.Logs},
		})
		var missing *workload.NotFoundError
		if err != nil && !errors.As(err, &missing) {
			return "", err
		}
	}
	return fmt.Sprintf("%d other clusters are gone", len(d.others)), nil
}

// outBootstrap makes the bootstrap cluster that the cluster is moved out to, and notes first where it comes from.
func (d *Delete) outBootstrap(ctx context.Context) (string, error) {
	if d.record == nil || d.record.Pivot != Returning {
		if err := d.beginReturn(ctx); err != nil {
			return "", err
		}
	}
	st, err := d.boot.Status(ctx)
	if err != nil {
		return "", err
	}
	if st.State == bootstrap.Missing && d.record.Bootstrap.Type != bootstrap.Existing {
		if err := d.checkStillInside(ctx); err != nil {
			return "", err
		}
	}
	if err := d.boot.Ensure(ctx, within(StepBootstrap, d.host.Sink)); err != nil {
		return "", err
	}
	d.record.Bootstrap.Ready = true
	if err := d.records.Save(d.record); err != nil {
		return "", err
	}
	return describeBootstrap(d.record.Bootstrap) + " runs", nil
}

// checkStillInside refuses to make a new, empty bootstrap cluster in place of one that the cluster was moved to.
func (d *Delete) checkStillInside(ctx context.Context) error {
	inside, err := d.stillInside(ctx)
	if err != nil || inside {
		return err
	}
	return fault.WithHint(fault.Refusedf("the %s, which cluster %s was moved to, is not there any more", describeBootstrap(d.record.Bootstrap), d.Key()),
		"the move's snapshot is in %s: clusterctl move --from-directory FILE brings its objects into another management cluster", filepath.Join(d.host.Dirs.State, "moves"))
}

// stillInside says whether the cluster itself has its objects, all of them.
func (d *Delete) stillInside(ctx context.Context) (bool, error) {
	source, err := d.itself(ctx)
	if err != nil {
		return false, err
	}
	st, err := move.Inspect(ctx, source)
	if err != nil {
		return false, err
	}
	here, err := holdsCluster(ctx, source, d.opts.Namespace, d.opts.Name)
	return here && (st == nil || st.CanRollBack), err
}

// outProviders installs there what the cluster has, in the same versions.
func (d *Delete) outProviders(ctx context.Context) (string, error) {
	target, err := reach(ctx, d.host, d.boot.Kubeconfig(), d.record.Bootstrap, d.record.rightOneOfDelete(), nil)
	if err != nil {
		return "", err
	}
	defer target.Close()
	if st, err := move.Inspect(ctx, target); err != nil || st != nil {
		return "installed already: the move has begun", err
	}
	if there, err := holdsCluster(ctx, target, d.opts.Namespace, d.opts.Name); err != nil || there {
		return "installed already: the cluster is there", err
	}
	source, err := d.itself(ctx)
	if err != nil {
		return "", err
	}
	host := d.host
	if host.Config, err = d.host.config(ctx); err != nil {
		return "", err
	}
	comps, err := componentsLike(ctx, source, host.Config, nil)
	if err != nil {
		return "", err
	}
	d.record.Providers = map[string]string{} // what the snapshot of the move would need
	for _, comp := range comps {
		d.record.Providers[comp.Label()] = comp.Version
	}
	if err := d.records.Save(d.record); err != nil {
		return "", err
	}
	before := noting(d.record.Bootstrap, target, d.opts.KeepProviders || d.record.Inputs.KeepProviders, d.host)
	outcome, err := installHeld(ctx, target, comps, d.boot, host, StepProviders, provider.AutoCerts, before)
	if err != nil || before == nil {
		return outcome, err
	}
	shared, err := sharedOn(ctx, source)
	if err != nil {
		return "", err
	}
	clusters, err := workload.List(ctx, source, "") // for their namespaces
	if err != nil {
		return "", err
	}
	for _, c := range clusters {
		shared = append(shared, kube.Ref{Version: "v1", Kind: "Namespace", Name: c.Namespace}.Object())
	}
	return outcome, noteShared(ctx, target, shared, d.opts.Namespace, d.host)
}

// moveOut moves everything out of the cluster itself.
func (d *Delete) moveOut(ctx context.Context) (string, error) {
	source, err := d.itself(ctx)
	if err != nil {
		return "", err
	}
	target, err := reach(ctx, d.host, d.boot.Kubeconfig(), d.record.Bootstrap, d.record.rightOneOfDelete(), nil)
	if err != nil {
		return "", err
	}
	defer target.Close()
	t := transfer{
		namespace: d.opts.Namespace, name: d.opts.Name, source: source, target: target, host: d.host, step: StepMoveOut, provisioning: true,
		kept: func(snapshot string) error {
			d.record.Snapshot = snapshot
			d.record.keep(snapshot)
			return d.records.Save(d.record)
		},
		releasing: func() error {
			d.record.Released = true
			return d.records.Save(d.record)
		},
	}
	moved, err := t.run(ctx, moveplan.Scope{All: true})
	if err != nil {
		return "", err
	}
	d.record.Pivot = NotPivoted
	d.self, d.mgmt = false, nil
	return moved + " to the " + describeBootstrap(d.record.Bootstrap), d.records.Save(d.record)
}

// itself connects to the cluster itself.
func (d *Delete) itself(ctx context.Context) (*kube.Client, error) {
	if d.source != nil {
		return d.source, nil
	}
	var err error
	d.source, err = reach(ctx, d.host, d.record.Self.Kubeconfig, *d.record.Self, d.record.rightOneOfDelete(), nil)
	return d.source, err
}

// absolute makes a path independent of the working directory; an empty one stays.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}

// answers asks a server once, and doesn't wait for long.
func answers(ctx context.Context, c *kube.Client) error {
	within, stop := context.WithTimeout(ctx, selfWait)
	defer stop()
	_, err := c.Ping(within)
	return err
}
