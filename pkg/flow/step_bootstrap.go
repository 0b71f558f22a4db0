// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ensureBootstrap makes the bootstrap cluster or brings it back.
func (c *Create) ensureBootstrap(ctx context.Context) (string, error) {
	if err := c.boot.Ensure(ctx, c.host.Sink); err != nil {
		c.dropUnbegun(ctx, err)
		return "", err
	}
	if !c.record.Bootstrap.Ready {
		c.record.Bootstrap.Ready = true
		if err := c.records.Save(c.record); err != nil {
			return "", err
		}
	}
	if c.record.Bootstrap.Type == bootstrap.Existing {
		return "using the " + describeBootstrap(c.record.Bootstrap), nil
	}
	return describeBootstrap(c.record.Bootstrap) + " runs", nil
}

// dropUnbegun forgets a run whose bootstrap cluster failed before anything of it was made: there is nothing to go on
// with and nothing to clean up. One that was stopped keeps its record, so that its inputs needn't be given again.
func (c *Create) dropUnbegun(ctx context.Context, err error) {
	if c.resumed || !c.record.Bootstrap.Made || ctx.Err() != nil || fault.CodeOf(err) == fault.Timeout {
		return
	}
	if st, err := c.boot.Status(ctx); err == nil && st.State == bootstrap.Missing {
		_ = c.records.Remove(c.record.Namespace, c.record.Name) // At worst it is found and removed by delete cluster.
	}
}
