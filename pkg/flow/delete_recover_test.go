// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// lostBootstrap is a deletion on its way back, whose bootstrap cluster isn't there; self is the kubeconfig of the cluster itself.
func lostBootstrap(t *testing.T, h Host, self string) *Delete {
	t.Helper()
	if local.Supported() != nil {
		t.Skip("NOT RUN: local bootstrap clusters don't run here")
	}
	rec := &Record{
		Name: "heron", Namespace: "default", Pivot: Returning, Snapshot: filepath.Join(t.TempDir(), "snapshot"),
		Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: "heron", Made: true, Ready: true},
		Self:      &BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: self, Itself: true},
	}
	writeText(t, rec.Snapshot, "{}")
	boot, err := openBootstrap(rec.Bootstrap, BootstrapOptions{}, h)
	if err != nil {
		t.Fatal(err)
	}
	return &Delete{opts: DeleteOptions{Target: Target{Name: "heron", Namespace: "default"}}, host: h, record: rec, boot: boot, records: OpenRecords(h.Dirs.State)}
}

// A cluster that can't be asked counts as lost only if its objects were on their way out: else it may still act on them.
func TestASilentClusterIsntLost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pivot     PivotState
		released  bool
		cancelled bool
		silent    bool // the kubeconfig is there, and nobody answers
		lost      bool
		fails     bool
	}{
		"before the release":            {pivot: Returning, fails: true},
		"after it":                      {pivot: Returning, released: true, lost: true},
		"after it, but no time is left": {pivot: Returning, released: true, cancelled: true, fails: true},
		"after it, and nobody answers":  {pivot: Returning, released: true, silent: true, lost: true},
		"moved out":                     {pivot: NotPivoted, lost: true},
		"being recovered":               {pivot: Recovering, lost: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			h := Host{Dirs: paths.Dirs{State: state, Cache: state}, Getenv: func(string) string { return "" }, Sink: event.Discard{}}
			d := lostBootstrap(t, h, filepath.Join(state, "no-such.kubeconfig"))
			d.record.Pivot, d.record.Released = tt.pivot, tt.released
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if tt.cancelled {
				stop()
			}
			if tt.silent {
				kubeconfigOf(t, d.record.Self.Kubeconfig, "x", map[string]*rest.Config{"x": {Host: nobody}})
			}
			lost, err := d.lost(ctx)
			if lost != tt.lost || (err != nil) != tt.fails {
				t.Fatalf("lost %t, %v", lost, err)
			}
			if tt.fails && !tt.cancelled && !strings.Contains(strings.Join(fault.Hints(err), "\n"), "--from-directory "+d.record.Snapshot) {
				t.Errorf("hints %q: want the snapshot", fault.Hints(err))
			}
		})
	}
}
