// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
)

// BringBack is Ensure for one that holds something.
func (c *Cluster) BringBack(ctx context.Context, sink event.Sink) error {
	if err := c.bringBack(ctx, sink); err != nil {
		return fmt.Errorf("bring back local bootstrap cluster %q: %w", c.Name(), err)
	}
	return nil
}

func (c *Cluster) bringBack(ctx context.Context, sink event.Sink) error {
	held, err := c.waitLock(ctx, sink, stepEnsure)
	if errors.Is(err, fs.ErrNotExist) {
		return bootstrap.ErrMissing // The lock is in the directory.
	}
	if err != nil {
		return err
	}
	defer held.Release()
	st, err := c.Status(ctx) // Only now: who held the lock may have deleted it.
	if err != nil {
		return err
	}
	if st.State == bootstrap.Missing {
		return bootstrap.ErrMissing
	}
	return c.ensure(ctx, sink)
}
