// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
)

// BringBack is Ensure for one that was made. It loads no images: who only needs what the cluster holds needs nothing new in it, and what
// the images came from may be gone.
func (c *Cluster) BringBack(ctx context.Context, sink event.Sink) error {
	if err := c.bringBack(ctx, sink); err != nil {
		return fmt.Errorf("bring back kind bootstrap cluster %q: %w", c.Name(), err)
	}
	return nil
}

func (c *Cluster) bringBack(ctx context.Context, sink event.Sink) error {
	if _, err := os.Stat(c.dir); errors.Is(err, fs.ErrNotExist) {
		return bootstrap.ErrMissing
	}
	held, err := c.waitLock(ctx, sink, stepEnsure)
	if errors.Is(err, fs.ErrNotExist) {
		return bootstrap.ErrMissing // It was the last one, and the directory of all went, too.
	}
	if err != nil {
		return err
	}
	defer held.Release()
	rec, err := c.readRecord() // Only now: who held the lock may have deleted it.
	if err != nil {
		return err
	}
	if rec == nil || !rec.Complete {
		return bootstrap.ErrMissing
	}
	e, err := c.open(ctx, rec.Engine, sink)
	if err != nil {
		return err
	}
	return c.restart(ctx, e, rec, nil, sink)
}
