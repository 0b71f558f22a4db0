// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

func (d *Delete) skipForget() string {
	if d.record == nil {
		return "no run of this host made it where it is now"
	}
	return ""
}

func (d *Delete) forget(ctx context.Context) (string, error) {
	return d.left(ctx), d.records.Remove(d.opts.Namespace, d.opts.Name)
}

// left says what is left: snapshots that hold the cluster and weren't made for it alone, or that it isn't sure that nobody needs.
func (d *Delete) left(ctx context.Context) string {
	files := d.snapshotsLeft(ctx)
	if len(files) == 0 {
		return "nothing is left"
	}
	return fmt.Sprintf("nothing is left but what moves of it kept, with Secrets in clear text: %s; delete what you don't need", strings.Join(files, ", "))
}

// tellLeft says after a deletion that no record of a run led to what this host still has of the cluster: its user moved it away.
func (d *Delete) tellLeft(ctx context.Context) {
	if rec, err := d.records.Load(d.opts.Namespace, d.opts.Name); err == nil {
		event.Warnf(d.host.Sink, "the run that made a cluster %s on the %s is known still; if it was this one: clusterctl delete cluster %s -n %s --forget",
			d.Key(), describeBootstrap(rec.Bootstrap), d.opts.Name, d.opts.Namespace)
	}
	d.tellFiles(d.snapshotsLeft(ctx), "what moves of cluster %s kept, with Secrets in clear text, is left")
}

// tellFiles names files that hold secrets of the cluster, and that only their user can know to be needed no more.
func (d *Delete) tellFiles(files []string, what string) {
	if len(files) > 0 {
		event.Warnf(d.host.Sink, what+": %s; delete what you don't need", d.Key(), strings.Join(files, ", "))
	}
}

// Forget drops the record of a run whose bootstrap cluster is gone for good, and names the files that it leaves. It refuses while the
// bootstrap cluster is there.
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
	files := d.snapshotsLeft(ctx)
	if err := d.records.Remove(d.opts.Namespace, d.opts.Name); err != nil {
		return err
	}
	d.tellFiles(files, "what moves of cluster %s kept, with Secrets in clear text, is left")
	var written []string
	for _, w := range d.record.written() {
		if isFile(w.Path) {
			written = append(written, w.Path)
		}
	}
	d.tellFiles(written, "the kubeconfig that was written for cluster %s is left")
	return nil
}
