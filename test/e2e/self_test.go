// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestSelfManaged makes a real cluster of containers that manages itself in the end, has it grow, and deletes it: it is moved out to a
// bootstrap cluster again first. It is killed in every step of both ways, and goes on, also when the bootstrap cluster of the way back is lost
// and only the snapshot is left. Nothing is left of either.
func TestSelfManaged(t *testing.T) {
	e := newEngine(t)
	h := newHome(t)
	e.use(t, h)
	before := e.everything(t)
	kubeconfig := filepath.Join(h.dir, "prod.kubeconfig")

	began := time.Now()
	for _, s := range selfSteps("providers", "cluster", "pivot-providers", "pivot", "pivot-bootstrap") {
		h.killIn(t, s.name, s.late, append(e.create("kind"), "--progress", "json")...)
	}
	r := h.must(t, "create", "cluster", "prod")
	t.Logf("made after %.0f s\n%s", time.Since(began).Seconds(), r.out)
	if left := h.items(t, "get", "bootstraps"); len(left) != 0 {
		t.Errorf("bootstrap clusters left: %v", left)
	}
	first := machines(t, kubeconfig)
	if len(first) != 2 {
		t.Fatalf("machines %v, want two", first)
	}
	t.Run("again", func(t *testing.T) {
		r := h.must(t, "create", "cluster", "prod")
		t.Logf("the same again: %.0f s", r.took.Seconds())
		if now := machines(t, kubeconfig); !maps.Equal(first, now) {
			t.Errorf("machines %v, before %v", now, first)
		}
	})
	t.Run("it reconciles", func(t *testing.T) {
		e.grow(t, kubeconfig, 3)
		for name, what := range first {
			if now := machines(t, kubeconfig)[name]; now != what {
				t.Errorf("machine %s is %q, was %q", name, now, what)
			}
		}
	})
	if t.Failed() {
		return
	}

	began = time.Now()
	remove := []string{"delete", "cluster", "prod", "--kubeconfig", kubeconfig, "--yes", "--progress", "json"}
	for _, s := range selfSteps("bootstrap", "providers", "move-out", "delete-cluster") {
		h.killIn(t, s.name, s.late, remove...)
	}
	if _, err := os.Stat(filepath.Join(h.state(), "runs", "default_prod.json")); err == nil {
		h.loseKind(t) // with the only copy but the snapshot
	}
	for _, s := range selfSteps("restore", "delete-bootstrap") {
		h.killIn(t, s.name, s.late, remove...)
	}
	if _, err := os.Stat(filepath.Join(h.state(), "runs", "default_prod.json")); err == nil {
		h.must(t, remove...)
	}
	t.Logf("deleted after %.0f s", time.Since(began).Seconds())
	e.wantEverything(t, before)
	// The lock of a run that was killed after its last act. What its moves kept is gone.
	if err := os.RemoveAll(filepath.Join(h.state(), "runs")); err != nil {
		t.Fatal(err)
	}
	h.must(t, append(remove, "--ignore-not-found")...)
	h.wantNothingLeft(t, nil)
}

// loseKind removes the containers of the kind bootstrap clusters, as somebody else might.
func (h *home) loseKind(t *testing.T) {
	t.Helper()
	for _, b := range h.items(t, "get", "bootstraps") {
		nodes, _ := b["nodes"].([]any)
		for _, n := range nodes {
			if out, err := exec.Command("docker", "rm", "-f", "-v", n.(string)).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			t.Logf("lost: %s", n)
		}
	}
}

// selfSteps are steps to be killed in, a moment after they begin.
func selfSteps(names ...string) []step {
	late := map[string]time.Duration{
		"bootstrap": 5 * time.Second, "providers": 3 * time.Second, "pivot-providers": time.Second, "pivot": 4 * time.Second, "move-out": 4 * time.Second,
		"delete-cluster": time.Second, "delete-bootstrap": 300 * time.Millisecond, "restore": 300 * time.Millisecond, "pivot-bootstrap": 300 * time.Millisecond,
	}
	var out []step
	for _, name := range names {
		out = append(out, step{name: name, late: late[name]})
	}
	return out
}

// The nodes of containers.
const (
	nodeVersion = "v1.34.4"
	nodeImage   = "kindest/node:" + nodeVersion
)

// engine is a container engine with what clusters of containers are made of.
type engine struct {
	images      []string // the providers', as nodes need them
	certManager []string // those of cert-manager
	cni         string   // an addon file
}

// newEngine finds the engine and what test/tools made for it. Without it the test is skipped, and says why.
func newEngine(t *testing.T) *engine {
	t.Helper()
	if out, err := exec.Command("docker", "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: no container engine answers (make engine starts one): %v %s", err, strings.TrimSpace(string(out)))
	}
	if out, err := exec.Command("docker", "image", "inspect", nodeImage).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: the engine has no node image (make test-images builds it): %s", strings.TrimSpace(string(out)))
	}
	e := &engine{cni: filepath.Join(shared.parts, "node", nodeVersion, "cni.yaml")}
	if _, err := os.Stat(e.cni); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: %v (make test-images makes it)", err)
	}
	for _, name := range []string{"cluster-api-controller", "kubeadm-bootstrap-controller", "kubeadm-control-plane-controller", "capd-manager"} {
		e.images = append(e.images, shared.registry+"/cluster-api/"+name+":"+shared.version)
	}
	return e
}

// use gives a user a configuration with a template for clusters of containers, and the engine the images that its nodes need.
func (e *engine) use(t *testing.T, h *home) {
	t.Helper()
	for _, image := range e.images {
		if out, err := exec.Command("docker", "pull", "-q", image).CombinedOutput(); err != nil {
			t.Fatalf("pull %s: %v %s", image, err, out)
		}
	}
	t.Cleanup(func() {
		if t.Failed() { // The next test makes a cluster of that name, too.
			removeNodes(t, "prod")
		}
		for _, image := range e.images {
			_ = exec.Command("docker", "rmi", "-f", image).Run()
		}
	})
	repo := filepath.Join(h.dir, "repository", "infrastructure-docker", shared.version)
	from := filepath.Join(shared.parts, "repository", "infrastructure-docker", shared.version)
	for _, name := range []string{"infrastructure-components.yaml", "metadata.yaml"} {
		copyFile(t, filepath.Join(from, name), filepath.Join(repo, name))
	}
	copyFile(t, testdata(t, "self/cluster-template.yaml"), filepath.Join(repo, "cluster-template.yaml"))
	config := filepath.Join(h.dir, "config", "clusterctl.yaml")
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, config, strings.ReplaceAll(string(data), from, repo))
	preload, err := json.Marshal(e.images)
	if err != nil {
		t.Fatal(err)
	}
	h.setenv("DOCKER_PRELOAD_IMAGES", string(preload))
	h.setenv("KUBERNETES_VERSION", nodeVersion)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(data))
}

func (e *engine) create(bootstrap string) []string {
	args := []string{
		"create", "cluster", "prod", "--bootstrap", bootstrap, "--infrastructure", "docker",
		"--control-plane-machine-count", "1", "--worker-machine-count", "1", "--addons", e.cni,
	}
	if bootstrap == "kind" {
		args = append(args, "--kind-image", nodeImage, "--load-images", strings.Join(e.images, ","))
	}
	return args
}

// grow scales the workers and waits for the new node.
func (e *engine) grow(t *testing.T, kubeconfig string, nodes int) {
	t.Helper()
	_, err := connect(t, kubeconfig).Resource(capi("", "machinedeployments")).Namespace("default").
		Patch(t.Context(), "prod-md-0", types.MergePatchType, []byte(`{"spec":{"replicas":2}}`), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantNodes(t, kubeconfig, nodes)
}

// removeNodes removes the containers of a cluster, nodes and load balancer.
func removeNodes(t *testing.T, cluster string) {
	t.Helper()
	out, err := exec.Command("docker", "ps", "-aq", "--filter", "label=io.x-k8s.kind.cluster="+cluster).Output()
	if err == nil && len(out) > 0 {
		out, err = exec.Command("docker", append([]string{"rm", "-f", "-v"}, strings.Fields(string(out))...)...).CombinedOutput()
	}
	if err != nil {
		t.Errorf("remove what is left of cluster %s: %v %s", cluster, err, out)
	}
}

// everything lists the engine's containers, networks and volumes.
func (e *engine) everything(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, args := range [][]string{
		{"ps", "-a", "--format", "container {{.Names}}"}, {"network", "ls", "--format", "network {{.Name}}"}, {"volume", "ls", "--format", "volume {{.Name}}"},
	} {
		data, err := exec.Command("docker", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Fields(strings.ReplaceAll(string(data), " ", "/"))...)
	}
	slices.Sort(out)
	return out
}

// wantEverything compares with what there was before. The network called kind is made once for all clusters and stays.
func (e *engine) wantEverything(t *testing.T, before []string) {
	t.Helper()
	for _, what := range e.everything(t) {
		if !slices.Contains(before, what) && what != "network/kind" {
			t.Errorf("left in the engine: %s", what)
		}
	}
}
