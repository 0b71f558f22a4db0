// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/test/graph"
)

// TestSnapshotIsTheWorldBefore: what a move keeps is restored as if the move had never been. Clusters that only the move had paused go on,
// and the one that a person has paused stays so.
func TestSnapshotIsTheWorldBefore(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 3*time.Minute)
	for name, stopAt := range map[string]string{"in one go": "", "stopped before the snapshot": "copy", "no controllers": ""} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, ctx, "before")
			bare := name == "no controllers" // what was read before the pause counts to the end
			if !bare {
				s.arm(t)
			}
			o := s.options(t, &guillotine{}, name)
			o.StateDir = t.TempDir()
			if stopAt != "" {
				stopped, stop := context.WithCancel(ctx)
				first := o
				first.Sink = whenStarts(stopAt, stop)
				if _, err := Run(stopped, first); err == nil {
					t.Fatal("it went on")
				}
			}
			if _, err := Run(ctx, o); err != nil {
				t.Fatal(err)
			}
			if !bare {
				s.clean(t, name, 0)
			}
			s.at, s.other = s.other, s.at
			target := connect(t, s.at)
			clear(t, target, graph.Version, s.namespace)
			found, _ := filepath.Glob(filepath.Join(o.StateDir, "*"+snapshotEnd))
			if len(found) != 1 {
				t.Fatalf("snapshots %v", found)
			}
			if _, err := Restore(ctx, RestoreOptions{Target: target, Dir: found[0], By: o.By, Alive: o.Alive, Wait: o.Wait}); err != nil {
				t.Fatal(err)
			}
			sameWorld(t, "restored", s.before, look(t, target, graph.Version, s.namespace))
		})
	}
}
