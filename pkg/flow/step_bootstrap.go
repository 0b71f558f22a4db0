// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

// ensureBootstrap makes the bootstrap cluster or brings it back.
func (c *Create) ensureBootstrap(ctx context.Context) (string, error) {
	if err := c.boot.Ensure(ctx, c.host.Sink); err != nil {
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
