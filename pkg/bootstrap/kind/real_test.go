// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

const (
	realImage = "kindest/node:v1.34.4"
	// noNode is an image that is no node: kind gives up on it.
	noNode = "kindest/haproxy:v20230606-42a2262b"
)

// realEngine skips the test unless an engine answers and the node image is in it.
func realEngine(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("NOT RUN: a real kind cluster takes minutes")
	}
	name, err := Engine(t.Context(), os.Getenv)
	if err != nil {
		t.Skipf("NOT RUN: a real kind cluster needs a container engine: %v", err)
	}
	if !hasImage(t, name, realImage) {
		t.Skipf("NOT RUN: %s doesn't have the node image %s", name, realImage)
	}
	return name
}

func hasImage(t *testing.T, engine, image string) bool {
	t.Helper()
	return exec.CommandContext(t.Context(), engine, "image", "inspect", image).Run() == nil
}

// containers lists what the engine has of our test's clusters.
func containers(t *testing.T, engine, name string) []string {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), engine, "ps", "--all", "--format", "{{.Names}}", "--filter", "name=clusterctl-"+name+"-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func realCluster(t *testing.T, o Options) *Cluster {
	t.Helper()
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	o.Dirs, o.Getenv = paths.Dirs{State: t.TempDir()}, os.Getenv
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Delete(context.WithoutCancel(t.Context()), nil); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestReal makes a kind cluster, has its containers stopped, brings it back, and deletes it.
func TestReal(t *testing.T) {
	engine := realEngine(t)
	c := realCluster(t, Options{Name: "realtest", Image: realImage, MountEngineSocket: true})
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	ensure := func(what string) {
		t.Helper()
		began := time.Now()
		if err := c.Ensure(ctx, event.Func(func(e event.Event) { t.Logf("%s: %s", what, e.Message) })); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%s: %s", what, time.Since(began).Round(100*time.Millisecond))
	}
	ensure("make")
	nodes := containers(t, engine, "realtest")
	if info, err := os.Stat(c.Kubeconfig()); err != nil || info.Mode().Perm() != 0o600 || len(nodes) != 1 {
		t.Fatalf("kubeconfig: %v; nodes: %v", err, nodes)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("HOME"), ".kube")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the user's kubeconfig was touched: %v", err)
	}
	if err := exec.CommandContext(ctx, engine, "exec", nodes[0], "test", "-S", defaultSocket).Run(); err != nil {
		t.Errorf("the engine's socket isn't in the node: %v", err)
	}
	uid := identity(t, c)
	ensure("again")
	state := func(want bootstrap.State) {
		t.Helper()
		infos, err := List(ctx, c.opts.Dirs, os.Getenv)
		if err != nil || len(infos) != 1 || infos[0].State != want {
			t.Errorf("want %s: %+v, %v", want, infos, err)
		}
	}
	state(bootstrap.Running)
	lines, err := c.Logs(ctx, "kube-system", "coredns", 3)
	for began := time.Now(); err != nil && strings.Contains(err.Error(), "hasn't started") && time.Since(began) < time.Minute; {
		time.Sleep(time.Second)
		lines, err = c.Logs(ctx, "kube-system", "coredns", 3)
	}
	if err != nil || len(lines) > 3 {
		t.Errorf("logs: %q, %v", lines, err)
	}
	if err := exec.CommandContext(ctx, engine, "stop", nodes[0]).Run(); err != nil {
		t.Fatal(err)
	}
	state(bootstrap.Stopped)
	ensure("bring back")
	if got := identity(t, c); got != uid {
		t.Errorf("it is another cluster: %s, was %s", got, uid)
	}
	if engine == "docker" {
		cutOff(ctx, t, c, nodes[0])
		ensure("connected again")
		if got := identity(t, c); got != uid {
			t.Errorf("connected again it is another cluster: %s, was %s", got, uid)
		}
	}
	if err := c.Delete(ctx, nil); err != nil || len(containers(t, engine, "realtest")) != 0 {
		t.Errorf("delete: %v, left %v", err, containers(t, engine, "realtest"))
	}
}

// cutOff takes a node off the network: the error names it, and what it tells to do helps.
func cutOff(ctx context.Context, t *testing.T, c *Cluster, node string) {
	t.Helper()
	docker := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput(); err != nil {
			t.Fatalf("docker %q: %v\n%s", args, err, out)
		}
	}
	docker("network", "disconnect", "kind", node)
	short, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	err := c.Ensure(short, nil)
	if err == nil || !strings.Contains(err.Error(), "took it off the container engine's network: "+node) {
		t.Errorf("off the network: %v", err)
	}
	if st, err := c.Status(ctx); err != nil || st.State != bootstrap.Degraded || !strings.Contains(st.Detail, node) {
		t.Errorf("status off the network: %+v, %v", st, err)
	}
	connect, restart := "docker network connect kind "+node, "docker restart "+node
	if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, connect) || !strings.Contains(hints, restart) {
		t.Errorf("hints: %s", hints)
	}
	docker(strings.Fields(connect)[1:]...)
	docker(strings.Fields(restart)[1:]...)
}

func identity(t *testing.T, c *Cluster) string {
	t.Helper()
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: c.Kubeconfig()})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kube.New(cfg.REST, kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	uid, err := client.UID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return uid
}

// TestRealInterrupted: stopped in the middle of creating, nothing is left.
func TestRealInterrupted(t *testing.T) {
	engine := realEngine(t)
	c := realCluster(t, Options{Name: "realstop", Image: realImage})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	err := c.Ensure(ctx, event.Func(func(e event.Event) {
		if strings.HasPrefix(e.Message, "Starting control-plane") {
			cancel(errors.New("Ctrl-C"))
		}
	}))
	if err == nil || !strings.Contains(err.Error(), "Ctrl-C") || len(containers(t, engine, "realstop")) != 0 {
		t.Errorf("%v, left %v", err, containers(t, engine, "realstop"))
	}
	if rec, err := c.readRecord(); rec != nil || err != nil {
		t.Errorf("record: %+v, %v", rec, err)
	}
}

// TestRealFailure: where a node can't be one, the logs are kept and nothing else is.
func TestRealFailure(t *testing.T) {
	engine := realEngine(t)
	if !hasImage(t, engine, noNode) {
		t.Skipf("NOT RUN: %s doesn't have %s", engine, noNode)
	}
	c := realCluster(t, Options{Name: "realfail", Image: noNode})
	err := c.Ensure(t.Context(), nil)
	if err == nil || len(containers(t, engine, "realfail")) != 0 {
		t.Fatalf("%v, left %v", err, containers(t, engine, "realfail"))
	}
	if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, c.logsDir()) {
		t.Errorf("%v\nhints: %s", err, hints)
	}
	if entries, err := os.ReadDir(c.logsDir()); err != nil || len(entries) == 0 {
		t.Errorf("logs: %v, %v", entries, err)
	}
	t.Log(err)
}
