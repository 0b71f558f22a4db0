// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// The names of the steps of delete, in their order.
const (
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
	// AssetsDir is where the binaries of a local control plane are, should it have to be brought back.
	AssetsDir string
}

// Delete takes a cluster away, and what was made for it.
type Delete struct {
	opts    DeleteOptions
	host    Host
	records *Records
	record  *Record // nil: the cluster isn't one of ours
	boot    bootstrap.Cluster
	mgmt    *kube.Client
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
	}
	d.boot, err = openBootstrap(at, BootstrapOptions{AssetsDir: opts.AssetsDir}, host)
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
	if d.finishing() {
		return "the clean-up of an earlier run", nil
	}
	client, err := d.management(ctx)
	if err != nil {
		return "", err
	}
	p, err := workload.PreviewDeletion(ctx, client, d.Key())
	if err := d.notFoundIsDone(err); err != nil {
		return "", err
	}
	return p.Summary(), nil
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
	err := runSteps(ctx, d.steps(), d.host.Sink)
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
	return []Step{
		{
			Info: Info{StepDeleteCluster, fmt.Sprintf("Delete cluster %s and wait until it is gone", d.Key())},
			Skip: d.skipCluster, Run: d.deleteCluster,
		},
		{
			Info: Info{StepDeleteKubeconfig, "Remove the kubeconfig that was written for it"},
			Skip: d.skipKubeconfig, Run: d.removeKubeconfig,
		},
		{
			Info: Info{StepDeleteBootstrap, "Delete the bootstrap cluster that was made for it"},
			Skip: d.skipBootstrap, Run: d.deleteBootstrap,
		},
		{
			Info: Info{StepForget, "Forget the run"},
			Skip: d.skipForget, Run: d.forget,
		},
	}
}

// finishing says that only the clean-up is left: an earlier deletion saw the cluster gone, or no run came as far as
// to have a bootstrap cluster that could hold it.
func (d *Delete) finishing() bool {
	return d.record != nil && (d.record.ClusterGone || !d.record.Bootstrap.Ready)
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
	res, err := workload.Delete(ctx, client, workload.DeleteOptions{
		Namespace: d.opts.Namespace, Name: d.opts.Name, Again: d.again(),
		WaitOptions: workload.WaitOptions{Sink: d.host.Sink, Step: StepDeleteCluster, Logs: d.boot.Logs},
	})
	if err := d.notFoundIsDone(err); err != nil {
		return "", err
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

// notFoundIsDone lets a run go on whose record says that the cluster was (being) made: deleted by hand, or never created.
func (d *Delete) notFoundIsDone(err error) error {
	var missing *workload.NotFoundError
	if !errors.As(err, &missing) || d.record == nil {
		return err
	}
	event.Notef(d.host.Sink, "there is no cluster %s on the %s: cleaning up what was made for it", d.Key(), d.Where())
	return nil
}

// management connects to the management cluster, and brings it back first if it is one of ours.
func (d *Delete) management(ctx context.Context) (*kube.Client, error) {
	if d.mgmt != nil {
		return d.mgmt, nil
	}
	if err := d.checkNotLost(ctx); err != nil {
		return nil, err
	}
	if err := d.boot.Ensure(ctx, within(StepDeleteCluster, d.host.Sink)); err != nil {
		return nil, err
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: d.boot.Kubeconfig(), Context: d.opts.Context, Getenv: d.host.Getenv})
	if err != nil {
		return nil, err
	}
	d.mgmt, err = kube.New(cfg.REST, kube.Options{UserAgent: d.host.UserAgent, Sink: d.host.Sink})
	return d.mgmt, err
}

// checkNotLost refuses to make a new, empty bootstrap cluster in place of one that should hold the cluster.
func (d *Delete) checkNotLost(ctx context.Context) error {
	if d.record == nil || d.record.Bootstrap.Type == bootstrap.Existing {
		return nil
	}
	st, err := d.boot.Status(ctx)
	if err != nil || st.State != bootstrap.Missing {
		return err
	}
	return fault.WithHint(fault.Refusedf("the %s, which managed cluster %s, is not there any more", d.Where(), d.Key()),
		"if its infrastructure is gone as well, forget the run: clusterctl delete cluster %s -n %s --forget", d.opts.Name, d.opts.Namespace)
}

func (d *Delete) skipKubeconfig() string {
	if d.record == nil || d.record.Kubeconfig == "" {
		return "none was written"
	}
	return ""
}

// removeKubeconfig removes the files that still are what we wrote.
func (d *Delete) removeKubeconfig(context.Context) (string, error) {
	var outcomes []string
	for _, w := range d.record.written() {
		outcome, err := removeUnchanged(w)
		if err != nil {
			return "", err
		}
		outcomes = append(outcomes, outcome)
	}
	return strings.Join(outcomes, "; "), nil
}

func removeUnchanged(w WrittenFile) (string, error) {
	path := w.Path
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return path + " is gone", nil
	}
	if err != nil {
		return "", fmt.Errorf("remove kubeconfig: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != w.SHA256 {
		return path + " was changed since it was written: kept", nil
	}
	if err := os.Remove(path); err != nil {
		return "", fmt.Errorf("remove kubeconfig: %w", err)
	}
	return path + " removed", nil
}

func (d *Delete) skipBootstrap() string {
	switch {
	case d.record == nil || d.record.Bootstrap.Type == bootstrap.Existing:
		return "it was there before and stays"
	case !d.record.Bootstrap.Made || d.opts.KeepBootstrap:
		return "kept"
	}
	return ""
}

// deleteBootstrap deletes a bootstrap cluster of ours, unless it still holds clusters, or others were begun on it.
func (d *Delete) deleteBootstrap(ctx context.Context) (string, error) {
	others, err := siblings(d.records, d.record)
	if err != nil {
		return "", err
	}
	if len(others) > 0 {
		return fmt.Sprintf("kept: cluster %s/%s was begun on it, too", others[0].Namespace, others[0].Name), nil
	}
	outcome, err := DeleteBootstrap(ctx, d.boot, d.host, false)
	var holds *HoldsClustersError
	if errors.As(err, &holds) {
		return fmt.Sprintf("kept: it manages %s", strings.Join(holds.Clusters, ", ")), nil
	}
	return outcome, err
}

func (d *Delete) skipForget() string {
	if d.record == nil {
		return "there is no record of it"
	}
	return ""
}

func (d *Delete) forget(context.Context) (string, error) {
	return "nothing is left", d.records.Remove(d.opts.Namespace, d.opts.Name)
}

// Forget drops the record of a run whose bootstrap cluster is gone for good. It refuses while the bootstrap cluster is there.
func (d *Delete) Forget(ctx context.Context) error {
	if d.record == nil {
		return fmt.Errorf("%s: %w", d.Key(), ErrNoRecord)
	}
	st, err := d.boot.Status(ctx)
	if err != nil {
		return err
	}
	if d.record.Bootstrap.Type != bootstrap.Existing && st.State != bootstrap.Missing {
		return fault.WithHint(fault.Refusedf("the %s is there: it can still delete cluster %s", d.Where(), d.Key()),
			"delete it properly: clusterctl delete cluster %s -n %s", d.opts.Name, d.opts.Namespace)
	}
	return d.records.Remove(d.opts.Namespace, d.opts.Name)
}
