// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// superviseArg makes the test binary a supervisor: it is what Options.Supervisor names in tests.
const superviseArg = "supervise-for-test"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == superviseArg {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		if err := local.Supervise(ctx, os.Args[2], os.Environ()...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// kubeAssets is the directory of the real binaries.
func kubeAssets(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("KUBEBUILDER_ASSETS")
	if dir == "" {
		parts := os.Getenv("CLUSTERCTL_PARTS")
		if parts == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				t.Fatal(err)
			}
			parts = filepath.Join(home, ".cache", "clusterctl-parts")
		}
		dir = filepath.Join(parts, "kube", local.DefaultKubernetesVersion)
	}
	if _, err := os.Stat(filepath.Join(dir, "kube-apiserver")); err != nil {
		t.Fatalf("no control plane binaries in %s: run \"make parts\"", dir)
	}
	return dir
}

// fixture is where a test's bootstraps live.
type fixture struct {
	dirs   paths.Dirs
	assets string
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	base := t.TempDir()
	return fixture{
		dirs:   paths.Dirs{State: filepath.Join(base, "state"), Cache: filepath.Join(base, "cache")},
		assets: kubeAssets(t),
	}
}

// options are those of a bootstrap in the fixture.
func (f fixture) options(name string) local.Options {
	return local.Options{
		Name: name, Dirs: f.dirs, AssetsDir: f.assets, StartTimeout: 3 * time.Minute,
		Supervisor: []string{os.Args[0], superviseArg}, Environ: os.Environ(),
	}
}

// bootstrap makes a bootstrap that is deleted at the test's end.
func (f fixture) bootstrap(t *testing.T, name string) *local.Cluster {
	t.Helper()
	c, err := local.New(f.options(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			showLogs(t, c)
		}
		if err := c.Delete(context.Background(), nil); err != nil {
			t.Errorf("delete: %v", err)
		}
	})
	return c
}

func showLogs(t *testing.T, c *local.Cluster) {
	t.Helper()
	for _, name := range []string{"supervisor", "etcd", "kube-apiserver", "kube-controller-manager"} {
		lines, _ := c.Logs(context.Background(), name, "", 8)
		for _, line := range lines {
			t.Logf("%s: %.300s", name, line)
		}
	}
	st, _ := c.Status(context.Background())
	for _, p := range st.Processes {
		namespace, name, ok := strings.Cut(p.Name, "/")
		if !ok || p.Ready {
			continue
		}
		lines, _ := c.Logs(context.Background(), namespace, name, 60)
		for _, line := range lines {
			t.Logf("%s: %.300s", name, line)
		}
	}
}

// ensure calls Ensure with a deadline and shows events.
func ensure(t *testing.T, c *local.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	began := time.Now()
	if err := c.Ensure(ctx, logSink(t)); err != nil {
		t.Fatalf("Ensure: %v", err)
	}
	t.Logf("ensured in %s", time.Since(began).Round(time.Millisecond))
}

func logSink(t *testing.T) event.Sink {
	t.Helper()
	return event.Func(func(e event.Event) { t.Logf("%s %s: %s", e.Kind, e.Step, e.Message) })
}
