// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cache"
)

// Build makes the parts that aren't complete, in order, one at a time: each of
// them uses all cores. It writes one line per part to out. The caller holds the
// folder's lock.
func Build(ctx context.Context, dir cache.Dir, parts []Part, out io.Writer) error {
	for _, part := range parts {
		key := cache.Key(part.Inputs...)
		if _, ok := dir.Stamp(part.Name, key); ok {
			report(out, part.Name, "cached", 0)
			continue
		}
		start := time.Now()
		if err := dir.DropStamp(part.Name); err != nil {
			return err
		}
		source, err := part.Make(ctx)
		if err != nil {
			return fmt.Errorf("make %s: %w", part.Name, err)
		}
		if err := dir.SetStamp(part.Name, key, source, part.Outputs); err != nil {
			return err
		}
		report(out, part.Name, source, time.Since(start))
	}
	return nil
}

func report(out io.Writer, name, source string, took time.Duration) {
	fmt.Fprintf(out, "%-30s %-13s %6.1f s\n", name, source, took.Seconds())
}
