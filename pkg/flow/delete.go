// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// The names of the steps of delete, in their order.
const (
	StepDeleteOthers     = "delete-others"
	StepMoveOut          = "move-out"
	StepRestore          = "restore"
	StepDeleteCluster    = "delete-cluster"
	StepDeleteKubeconfig = "delete-kubeconfig"
	StepDeleteBootstrap  = "delete-bootstrap"
	StepForget           = "forget"
)

// DeleteOptions say what to delete.
type DeleteOptions struct {
	Target
	// KeepBootstrap leaves a bootstrap cluster of ours where it is, also when it holds no other cluster.
	KeepBootstrap bool
	// KeepProviders leaves on an existing cluster what runs of ours installed there.
	KeepProviders bool
	// All deletes also the other clusters that a cluster manages which manages itself.
	All bool
	// Bootstrap says which bootstrap cluster a cluster that manages itself is moved out to, and where the binaries of a local one are.
	Bootstrap BootstrapOptions
}

// Delete takes a cluster away, and what was made for it.
type Delete struct {
	opts    DeleteOptions
	host    Host
	records *Records
	record  *Record // nil: the cluster isn't one of ours
	boot    bootstrap.Cluster
	mgmt    *kube.Client
	// changed says that the record isn't saved as it is now.
	changed bool

	// looked says that self and others are known.
	looked bool
	// recovering says that the snapshot of its move is the only copy.
	recovering bool
	// self says that the cluster manages itself, so that it has to be moved out first; others are those that it manages, too.
	self   bool
	others []capi.ClusterState
	source *kube.Client
}

// NewDelete finds out where the cluster is managed; it changes nothing.
func NewDelete(opts DeleteOptions, host Host) (*Delete, error) {
	target, rec, err := Locate(opts.Target, host)
	if err != nil {
		return nil, err
	}
	opts.Target = target
	d := &Delete{opts: opts, host: host, records: OpenRecords(host.Dirs.State), record: rec}
	at := BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: target.Kubeconfig, Context: target.Context}
	if rec != nil {
		at = rec.Bootstrap
		if opts.Bootstrap.Kind, err = opts.Bootstrap.Kind.over(rec.Kind); err != nil {
			return nil, err
		}
		d.opts.Bootstrap = opts.Bootstrap
	}
	d.boot, err = openBootstrap(at, opts.Bootstrap, host)
	return d, err
}

// Where describes the management cluster for people.
func (d *Delete) Where() string { return d.opts.describe(d.record) }

// Key is the Cluster's namespace and name.
func (d *Delete) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: d.opts.Namespace, Name: d.opts.Name}
}

// Lock takes the run's lock, see Records.Lock.
func (d *Delete) Lock() (func(), error) {
	return d.records.Lock(d.opts.Namespace, d.opts.Name, d.host.Command)
}

// Preview says what a deletion would take away. It brings a stopped bootstrap cluster back if it must, to ask it.
func (d *Delete) Preview(ctx context.Context) (string, error) {
	if err := d.look(ctx); err != nil {
		return "", err
	}
	if d.finishing() {
		return "the clean-up of an earlier run", nil
	}
	if d.recovering {
		return fmt.Sprintf("cluster %s, whose objects are brought back from the snapshot %s first: the %s that held them is gone",
			d.Key(), d.record.Snapshot, describeBootstrap(d.record.Bootstrap)), nil
	}
	if d.record != nil && d.record.Pivot == Returning {
		return fmt.Sprintf("cluster %s, which is being moved out of itself to the %s", d.Key(), describeBootstrap(d.record.Bootstrap)), nil
	}
	client, err := d.management(ctx)
	if err != nil {
		return "", err
	}
	p, err := workload.PreviewDeletion(ctx, client, d.Key())
	missing := err != nil
	if err := d.notFoundIsDone(ctx, err); err != nil {
		return "", err
	}
	if missing {
		return fmt.Sprintf("what was made for cluster %s, which isn't there any more", d.Key()), nil //nolint:nilerr // notFoundIsDone looked at it
	}
	return p.Summary() + d.selfNote(), nil
}

// selfNote tells of what goes along with a cluster that manages itself.
func (d *Delete) selfNote() string {
	if !d.self {
		return ""
	}
	text := "\nit manages itself: everything is moved to a bootstrap cluster first, which goes at the end"
	for _, s := range d.others {
		text += fmt.Sprintf("\nfirst the cluster %s/%s, which it manages, too", s.Namespace, s.Name)
	}
	return text
}

// MadeBootstrap names the bootstrap cluster that goes too if it holds no other cluster; empty: none.
func (d *Delete) MadeBootstrap() string {
	if d.record == nil || !d.record.Bootstrap.Made || d.opts.KeepBootstrap {
		return ""
	}
	return describeBootstrap(d.record.Bootstrap)
}

// Run deletes. The caller holds the lock.
func (d *Delete) Run(ctx context.Context) error {
	err := d.look(ctx)
	if err != nil && d.record == nil {
		return err // nothing was begun, now or earlier
	}
	if err == nil {
		err = runSteps(ctx, d.steps(), d.host.Sink)
	}
	if err == nil && d.record == nil {
		d.tellLeft(ctx)
	}
	var missing *workload.NotFoundError
	if err == nil || errors.As(err, &missing) {
		return err // nothing was found, so nothing was begun
	}
	code := fault.CodeOf(err)
	switch code {
	case fault.Refused:
		return err // the same command would be refused again
	case fault.Failed:
		code = fault.Partial
	}
	return &fault.Error{Code: code, Err: err, Hint: "nothing is lost; go on with the same command: " + d.again(), Fallback: true}
}

// again is the command that goes on.
func (d *Delete) again() string {
	s := fmt.Sprintf("clusterctl delete cluster %s -n %s", d.opts.Name, d.opts.Namespace)
	if d.opts.Kubeconfig != "" {
		s += " --kubeconfig " + d.opts.Kubeconfig
	}
	if d.opts.Context != "" {
		s += " --kubeconfig-context " + d.opts.Context
	}
	return s
}

func (d *Delete) steps() []Step {
	var steps []Step
	if d.recovering {
		steps = d.recoverSteps()
	}
	if d.self {
		steps = []Step{
			{Info: Info{StepDeleteOthers, "Delete the other clusters that it manages"}, Skip: d.skipOthers, Run: d.deleteOthers},
			{Info: Info{StepBootstrap, "Make a bootstrap cluster to move the cluster out to"}, Skip: d.skipSelf, Run: d.outBootstrap},
			d.keptUp(Step{Info: Info{StepProviders, "Install the cluster's providers there, to be started by the move"}, Skip: d.skipSelf, Run: d.outProviders}),
			d.keptUp(Step{Info: Info{StepMoveOut, "Move the cluster's objects out of the cluster itself"}, Skip: d.skipSelf, Run: d.moveOut}),
		}
	}
	return append(
		steps,
		d.keptUp(Step{
			Info: Info{StepDeleteCluster, fmt.Sprintf("Delete cluster %s and wait until it is gone", d.Key())},
			Skip: d.skipCluster, Run: d.deleteCluster,
		}),
		Step{
			Info: Info{StepDeleteKubeconfig, "Remove the kubeconfig that was written for it"},
			Skip: d.skipKubeconfig, Run: d.removeKubeconfig,
		},
		Step{
			Info: Info{StepDeleteBootstrap, "Delete the bootstrap cluster, or what was installed for it"},
			Skip: d.skipBootstrap, Run: d.deleteBootstrap,
		},
		Step{
			Info: Info{StepForget, "Forget the run"},
			Skip: d.skipForget, Run: d.forget,
		},
	)
}

// finishing says that only the clean-up is left: an earlier deletion saw the cluster gone, or no run came as far as
// to have a bootstrap cluster that could hold it.
func (d *Delete) finishing() bool {
	return d.record != nil && d.record.Pivot == NotPivoted && (d.record.ClusterGone || !d.record.Bootstrap.Ready)
}

func (d *Delete) skipCluster() string {
	switch {
	case !d.finishing():
		return ""
	case d.record.ClusterGone:
		return "gone already"
	}
	return "it was never created"
}

func (d *Delete) deleteCluster(ctx context.Context) (string, error) {
	client, err := d.management(ctx)
	if err != nil {
		return "", err
	}
	if err := checkNoMove(ctx, client); err != nil {
		return "", err
	}
	if d.changed { // Once the Cluster is gone nothing else says where it was.
		if err := d.records.Save(d.record); err != nil {
			return "", err
		}
		d.changed = false
	}
	res, err := workload.Delete(ctx, client, workload.DeleteOptions{
		Namespace: d.opts.Namespace, Name: d.opts.Name, Again: d.again(), Found: d.noteFound,
		WaitOptions: workload.WaitOptions{Sink: d.host.Sink, Step: StepDeleteCluster, Logs: d.boot.Logs},
	})
	notFound := err != nil
	if err := d.notFoundIsDone(ctx, err); err != nil {
		return "", err
	}
	if d.record != nil && (!notFound || d.record.Deleting) {
		d.dropSnapshots(ctx)
	}
	for _, line := range res.Leftovers.Report() {
		event.Warnf(d.host.Sink, "%s", line)
	}
	if d.record != nil {
		d.record.ClusterGone = true
		if err := d.records.Save(d.record); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("cluster %s is gone", d.Key()), nil
}

// noteFound notes that the Cluster is about to be deleted where it is: once it is gone from there, it went that way.
func (d *Delete) noteFound() error {
	if d.record == nil || d.record.Deleting {
		return nil
	}
	d.record.Deleting = true
	return d.records.Save(d.record)
}

func (d *Delete) skipBootstrap() string {
	switch {
	case d.record == nil:
		return "it was there before and stays"
	case d.record.Bootstrap.Type == bootstrap.Existing:
		return ""
	case !d.record.Bootstrap.Made || d.opts.KeepBootstrap:
		return "kept"
	}
	return ""
}

// deleteBootstrap deletes a bootstrap cluster of ours, unless it still holds clusters, or others were begun on it.
// From an existing cluster goes what runs of ours installed there.
func (d *Delete) deleteBootstrap(ctx context.Context) (string, error) {
	if d.record.Bootstrap.Type == bootstrap.Existing {
		client, err := d.management(ctx)
		if err != nil {
			return "", err
		}
		return takeBack(ctx, client, d.record, d.opts.KeepProviders || d.record.Inputs.KeepProviders, d.host, StepDeleteBootstrap)
	}
	others, err := siblings(d.records, d.record)
	if err != nil {
		return "", err
	}
	if len(others) > 0 {
		return fmt.Sprintf("kept: cluster %s/%s was begun on it, too", others[0].Namespace, others[0].Name), nil
	}
	outcome, err := deleteBootstrap(ctx, d.boot, d.host, false)
	var holds *HoldsClustersError
	if errors.As(err, &holds) {
		return fmt.Sprintf("kept: it manages %s", strings.Join(holds.Clusters, ", ")), nil
	}
	return outcome, err
}
