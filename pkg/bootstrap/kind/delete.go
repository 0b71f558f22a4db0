// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// Delete removes the containers that the record names, and the record last. It finishes what an earlier one began. What the record
// doesn't name stays.
func (c *Cluster) Delete(ctx context.Context, sink event.Sink) error {
	if _, err := os.Stat(c.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	held, err := c.lock(ctx, sink, stepDelete)
	if err != nil {
		return err
	}
	defer held.Release()
	if err := c.delete(ctx, sink); err != nil {
		return fmt.Errorf("delete kind bootstrap cluster %q: %w", c.Name(), err)
	}
	return nil
}

func (c *Cluster) delete(ctx context.Context, sink event.Sink) error {
	rec, err := c.readRecord()
	if err != nil {
		return err
	}
	if rec != nil {
		e, err := c.open(ctx, rec.Engine, sink)
		if err != nil {
			return err
		}
		event.Progressf(sink, stepDelete, "removing the containers of kind cluster %s", rec.Cluster)
		if err := c.clear(ctx, e, rec); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return err
	}
	_ = os.Remove(c.lockPath())            // Whoever waits for it notices.
	_ = os.Remove(root(c.opts.Dirs.State)) // Only if it is empty.
	return nil
}
