// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// demo is the main job, as the README shows it.
func demo(more ...string) []string {
	return append([]string{
		"create", "cluster", "demo", "--bootstrap", "local", "--infrastructure", "docker", "--flavor", "in-memory",
		"--control-plane-machine-count", "1", "--worker-machine-count", "2",
	}, more...)
}

// TestFromNothingToNothing makes a cluster, uses it in every way, puts two more beside it and deletes all of it.
func TestFromNothingToNothing(t *testing.T) {
	h := newHome(t)
	r := h.must(t, demo()...)
	t.Logf("create cluster: %.0f s, peak memory %d MiB", r.took.Seconds(), r.peak>>20)
	// An upper bound: until the program is executed, the memory of this test counts as its own.
	if r.peak > 150<<20 {
		t.Errorf("peak memory %d MiB, want at most 150", r.peak>>20)
	}
	kubeconfig := filepath.Join(h.dir, "demo.kubeconfig")
	if st, err := os.Stat(kubeconfig); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("kubeconfig: %v %v", st, err)
	}
	wantNodes(t, kubeconfig, 3)
	ports := h.ports("demo")
	h.wantDemo(t)

	t.Run("again", h.again)
	t.Run("listings", h.listings)
	t.Run("who gets in", h.whoGetsIn)
	t.Run("manager crashes", h.managerCrashes)
	t.Run("two more", h.twoMore)
	t.Run("not by accident", h.notByAccident)
	if t.Failed() {
		return
	}

	r = h.must(t, "delete", "cluster", "demo", "--yes")
	t.Logf("delete cluster: %.0f s", r.took.Seconds())
	if !strings.Contains(r.err, "kept: cluster default/egret was begun on it, too") {
		t.Errorf("the bootstrap cluster went with the first of three clusters:\n%s", tail(r.err))
	}
	h.must(t, "delete", "cluster", "heron", "--yes")
	h.deleteWhileManagersCrash(t)
	h.wantNothingLeft(t, ports)
}

// again runs the same command again: nothing changes.
func (h *home) again(t *testing.T) {
	before := clusterObjects(t, h.management("demo"))
	for _, args := range [][]string{demo(), {"create", "cluster", "demo"}} {
		r := h.must(t, args...)
		t.Logf("the same again: %.1f s", r.took.Seconds())
	}
	if after := h.wantDemo(t); !maps.Equal(before, after) {
		t.Errorf("the second run changed objects: %v, before %v", after, before)
	}
}

// listings looks at what the listings and get kubeconfig say while the cluster runs.
func (h *home) listings(t *testing.T) {
	mgmt := h.management("demo")
	file, err := os.ReadFile(filepath.Join(h.dir, "demo.kubeconfig"))
	if r := h.must(t, "get", "kubeconfig", "demo", "--kubeconfig", mgmt); err != nil || r.out != string(file) {
		t.Errorf("get kubeconfig isn't what create cluster wrote (%v)", err)
	}
	clusters := h.items(t, "get", "clusters", "-A", "--kubeconfig", mgmt)
	if len(clusters) != 1 || clusters[0]["name"] != "demo" || clusters[0]["namespace"] != "default" {
		t.Errorf("get clusters: %v", clusters)
	}
	bootstraps := h.items(t, "get", "bootstraps")
	if len(bootstraps) != 1 || bootstraps[0]["name"] != "demo" || bootstraps[0]["state"] != "running" || bootstraps[0]["kubeconfig"] != mgmt {
		t.Errorf("get bootstraps: %v", bootstraps)
	}
	if r := h.must(t, "get", "clusters", "--kubeconfig", mgmt); !strings.Contains(r.out, "demo") {
		t.Errorf("get clusters: %s", r.out)
	}
}

// items runs a listing and reads its JSON.
func (h *home) items(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	r := h.must(t, append(args, "-o", "json")...)
	var found struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal([]byte(r.out), &found); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, r.out)
	}
	return found.Items
}

// twoMore makes two more clusters on the same bootstrap cluster at once, in the two ways that need no template.
func (h *home) twoMore(t *testing.T) {
	before := h.table("demo").pid("capi-system/capi-controller-manager")
	egret := h.start(t, "create", "cluster", "egret", "-f", testdata(t, "cluster.yaml"), "--set", "WORKERS=2",
		"--bootstrap-name", "demo", "--infrastructure", "docker")
	// No name: it stands in the file. No provider is named: they are there.
	heron := h.start(t, "create", "cluster", "-c", testdata(t, "legacy-cluster.yaml"), "-m", testdata(t, "legacy-machines.yaml"),
		"--bootstrap", "existing", "--bootstrap-kubeconfig", h.management("demo"), "--kubeconfig-out", "old.kubeconfig")
	for name, p := range map[string]*process{"egret": egret, "heron": heron} {
		if r := p.wait(t); r.code != 0 || !strings.Contains(r.out, "default/"+name) {
			t.Errorf("create cluster %s: exit code %d after %.0f s\n%s%s", name, r.code, r.took.Seconds(), tail(r.err), r.out)
		}
	}
	wantNodes(t, filepath.Join(h.dir, "egret.kubeconfig"), 3)
	wantNodes(t, filepath.Join(h.dir, "old.kubeconfig"), 2)
	if clusters := list(t, h.management("demo"), capi("", "clusters")); len(clusters) != 3 {
		t.Errorf("clusters %v, want three", clusters)
	}
	// egret has no topology, but demo has: its controllers must not have been started anew without that feature.
	if after := h.table("demo").pid("capi-system/capi-controller-manager"); after != before {
		t.Error("the providers were changed for the second cluster")
	}
}

// notByAccident deletes nothing.
func (h *home) notByAccident(t *testing.T) {
	h.wantFailure(t, 4, []string{"default/demo"}, "delete", "bootstrap", "demo", "--yes")
	h.wantFailure(t, 4, []string{"--yes"}, "delete", "cluster", "demo")
	// A refused description takes the place of nothing: the cluster is still what its template made.
	h.wantFailure(t, 5, []string{"another Cluster of that name exists"}, "create", "cluster", "demo", "-f", testdata(t, "cluster.yaml"), "--set", "WORKERS=2")
	h.must(t, "create", "cluster", "demo", "--worker-machine-count", "2")
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
