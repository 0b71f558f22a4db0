// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

func (d *Delete) skipForget() string {
	if d.record == nil {
		return "there is no record of it"
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
