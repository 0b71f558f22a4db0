// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

func (d *Delete) skipForget() string {
	if d.record == nil {
		return "there is no record of it"
	}
	return ""
}

func (d *Delete) forget(context.Context) (string, error) {
	return d.left(), d.records.Remove(d.opts.Namespace, d.opts.Name)
}

// left says what is left. Snapshots of moves, of whatever cluster, are the user's: nothing deletes them, and they hold Secrets.
func (d *Delete) left() string {
	dir := filepath.Join(d.host.Dirs.State, "moves")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil || len(files) == 0 {
		return "nothing is left"
	}
	return fmt.Sprintf("nothing is left but snapshots of moves, with Secrets in clear text, in %s: delete those that you don't need", dir)
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
