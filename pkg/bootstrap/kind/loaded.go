// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// loaded notes that something was put on nodes completely, so that it isn't sent again and may go.
type loaded struct {
	// Source tells it from another build of the same name or path, see sourceOf.
	Source string `json:"source"`
	// Nodes are the ids of the containers that have it.
	Nodes []string `json:"nodes"`
}

// loadImages puts on the nodes what they don't have yet. A cluster that is being made needs all of it. In one that was made before
// something may run that nobody can build any more: there it is only said what can't be loaded.
func (c *Cluster) loadImages(ctx context.Context, e engine, rec *record, images []string, sink event.Sink) error {
	nodes := slices.Sorted(maps.Values(rec.Nodes))
	for _, image := range images {
		note, noted := rec.Loaded[image]
		noted = noted && slices.Equal(note.Nodes, nodes)
		source, err := sourceOf(ctx, e, image)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !rec.Complete:
			return err
		case err != nil && noted:
			event.Notef(sink, "%v: the nodes keep what was loaded of it before", err)
			continue
		case err != nil:
			event.Warnf(sink, "%v: the nodes don't get it", err)
			continue
		case noted && note.Source == source:
			continue
		}
		event.Progressf(sink, stepEnsure, "loading image %s", image)
		if err := e.load(ctx, rec.Cluster, image); err != nil {
			return fmt.Errorf("load image %s: %w", image, err)
		}
		if rec.Loaded == nil {
			rec.Loaded = map[string]loaded{}
		}
		rec.Loaded[image] = loaded{Source: source, Nodes: nodes}
		if err := c.writeRecord(rec); err != nil {
			return err
		}
	}
	return nil
}

// sourceOf tells what there is to load from what there was under the same name before: by its id in the engine, or by a file's size and
// time, as archives are too big to be read each time. Its error says what to do.
func sourceOf(ctx context.Context, e engine, image string) (string, error) {
	if IsArchive(image) {
		info, err := os.Stat(image)
		if err != nil {
			return "", fault.WithHint(fault.Usagef("load image: %w", err), "put the archive back, or name what to load instead with --load-images")
		}
		return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)), nil
	}
	id, err := e.imageID(ctx, image)
	if err != nil {
		return "", fault.WithHint(fault.Refusedf("load image %s: %w", image, err),
			"build or pull it first (%s pull %s), or name what to load instead with --load-images", e.name(), image)
	}
	return id, nil
}
