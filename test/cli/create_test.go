// SPDX-License-Identifier: Apache-2.0

//go:build linux

package cli_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

const interruptedCluster = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: team-a}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: PondCluster, name: heron}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondCluster
metadata: {name: heron, namespace: team-a}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: heron-m0, namespace: team-a, labels: {cluster.x-k8s.io/cluster-name: heron}}
spec: {clusterName: heron, bootstrap: {dataSecretName: x}}
`

// TestCreateInterrupted creates a cluster on an existing management cluster without controllers, so that nothing ever becomes ready: at the
// deadline, and at Ctrl-C, everything is kept, and the same command finds it again.
func TestCreateInterrupted(t *testing.T) {
	env := testenv.Start(t)
	if err := env.Store(graph.CRDs(graph.Version)); err != nil {
		t.Fatal(err)
	}
	c, err := kube.New(env.REST, kube.Options{UserAgent: "look"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ns := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "team-a"}}}
	if _, err := c.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte(interruptedCluster), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	create := func(timeout string) (*exec.Cmd, *bytes.Buffer) {
		cmd := program(t, "create", "cluster", "heron", "-n", "team-a", "-f", file, "--bootstrap-kubeconfig", env.Kubeconfig, "--timeout", timeout)
		cmd.Env, cmd.Dir = []string{"HOME=" + home, "LANG=C.UTF-8"}, home
		said := &bytes.Buffer{}
		cmd.Stderr = said
		return cmd, said
	}

	cmd, said := create("4s")
	if code := exitCode(cmd.Run()); code != 3 {
		t.Errorf("at the deadline: exit code %d, want 3", code)
	}
	for _, want := range []string{"heron", "not finished after 4s", "kept", "clusterctl create cluster heron -n team-a", "clusterctl delete cluster heron -n team-a"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("at the deadline: %q isn't said:\n%s", want, said)
		}
	}
	before := uids(t, c)
	if len(before) != 3 {
		t.Fatalf("objects %v, want three", before)
	}

	cmd, said = create("10m")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second) // whenever it is: it may be anywhere
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 130 {
		t.Errorf("Ctrl-C: exit code %d, want 130", code)
	}
	for _, unwanted := range []string{"already exists", "goroutine ", "panic:", "context canceled"} {
		if strings.Contains(said.String(), unwanted) {
			t.Errorf("Ctrl-C: %q is said:\n%s", unwanted, said)
		}
	}
	if after := uids(t, c); !maps.Equal(before, after) {
		t.Errorf("the second run made objects anew: %v, before %v", after, before)
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

func uids(t *testing.T, c *kube.Client) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, gk := range []schema.GroupVersionKind{
		{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Cluster"},
		{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Machine"},
		{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Kind: "PondCluster"},
	} {
		list, err := c.List(t.Context(), gk, kube.ListOptions{Namespace: "team-a"})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			out[u.GetKind()+" "+u.GetName()] = string(u.GetUID())
		}
	}
	return out
}
