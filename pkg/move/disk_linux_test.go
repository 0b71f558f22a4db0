// SPDX-License-Identifier: Apache-2.0

package move

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/test/graph"
)

// TestFullDisk moves with no room for the snapshot: everything is as it was, and the same command with room moves.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("NOT RUN: no file system can be mounted here (needs root): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	withKinds(t, graph.Version)
	ctx := within(t, 5*time.Minute)
	s := newStage(t, ctx, "full-disk")
	s.arm(t)
	o := s.options(t, &guillotine{}, "full disk")
	o.StateDir = dir
	_, err := Run(ctx, o)
	if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "rolled back") {
		t.Errorf("error: %v", err)
	}
	s.stayed(t, "full disk")
	s.arm(t)
	o.StateDir = t.TempDir()
	if _, err := Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	s.arrived(t, "room")
}
