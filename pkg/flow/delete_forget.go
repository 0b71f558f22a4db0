// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"

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
