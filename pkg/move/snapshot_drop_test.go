// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/graph"
)

// TestSnapshotOfAMoveThatIsUndone: it goes once everything is back, and stays where it may be the only copy, or somebody relies on it.
func TestSnapshotOfAMoveThatIsUndone(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 3*time.Minute)
	s := newStage(t, ctx, "undone")
	for _, c := range []struct {
		name string
		// between comes after the move was stopped, stays says that the file is there at the end.
		between func(t *testing.T, path string, o *Options)
		stays   bool
	}{
		{"everything is back", func(*testing.T, string, *Options) {}, false},
		{"half written too", func(t *testing.T, path string, _ *Options) { write(t, path+PartEnd, []byte("{")) }, false},
		{"somebody relies on it", func(_ *testing.T, _ string, o *Options) { o.Kept = func(string) error { return nil } }, true},
		{"it can't be read", func(t *testing.T, path string, _ *Options) { write(t, path, []byte("{")) }, true},
		{"it is gone already", func(t *testing.T, path string, _ *Options) { _ = os.Remove(path) }, false},
		{"an object is gone", func(t *testing.T, _ string, _ *Options) {
			deleteAt(t, connect(t, s.at), kube.Target{GVK: gvkNamed("Secret"), Namespace: s.namespace, Name: "egret-ca"})
		}, true},
	} {
		s.arm(t)
		stopped, stop := context.WithCancel(ctx)
		o := s.options(t, &guillotine{}, c.name)
		o.StateDir, o.Sink = t.TempDir(), whenStarts("verify", stop)
		if _, err := Run(stopped, o); err == nil {
			t.Fatal("it went on")
		}
		found, _ := filepath.Glob(filepath.Join(o.StateDir, "*"+snapshotEnd))
		if len(found) != 1 {
			t.Fatalf("%s: snapshots %v", c.name, found)
		}
		var warnings []string
		back := s.options(t, &guillotine{}, c.name+", back")
		back.StateDir = o.StateDir
		back.Sink = event.Func(func(e event.Event) {
			if e.Kind == event.Warn {
				warnings = append(warnings, e.Message)
			}
		})
		c.between(t, found[0], &back)
		if _, err := Rollback(ctx, back); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		left, _ := os.ReadDir(o.StateDir)
		if (len(left) == 1) != c.stays || len(left) > 1 {
			t.Errorf("%s: left %v", c.name, left)
		}
		told := slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "Secrets in clear text, stays") })
		if told != (c.stays && back.Kept == nil) {
			t.Errorf("%s: warnings %q", c.name, warnings)
		}
		if c.name == "an object is gone" {
			s.disarm(t)
			continue
		}
		s.stayed(t, c.name)
	}
}
