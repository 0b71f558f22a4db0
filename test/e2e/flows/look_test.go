// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// list lists objects through a kubeconfig, as name → UID.
func list(t *testing.T, kubeconfig string, gvr schema.GroupVersionResource) map[string]string {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	objs, err := c.Resource(gvr).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, o := range objs.Items {
		out[o.GetName()] = string(o.GetUID())
	}
	return out
}

func nodesResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
}

func capiResource(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: resource}
}

// wantNodes wants the simulated nodes to be there; after a restart of the provider they are filled in again.
func wantNodes(t *testing.T, kubeconfig string, n int) {
	t.Helper()
	var got map[string]string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		if got = list(t, kubeconfig, nodesResource()); len(got) == n {
			return
		}
	}
	t.Errorf("nodes %v, want %d", got, n)
}

func (h *home) management(bootstrap string) string {
	return filepath.Join(h.state(), "bootstraps", bootstrap, "kubeconfig")
}

// processes finds all processes that were started with a path below dir in their arguments.
func processes(dir string) []int {
	var out []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && bytes.Contains(cmdline, []byte(dir)) {
			out = append(out, pid)
		}
	}
	return out
}

// listening lists the addresses of all listening TCP sockets, as the kernel writes them.
func listening(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, f := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			fields := strings.Fields(line)
			if len(fields) > 3 && fields[3] == "0A" {
				out = append(out, fields[1])
			}
		}
	}
	slices.Sort(out)
	return out
}

// wantNothingLeft wants no process, port, state or kubeconfig of a user who has deleted everything.
func (h *home) wantNothingLeft(t *testing.T, portsBefore []string) {
	t.Helper()
	if left := processes(h.state()); len(left) > 0 {
		t.Errorf("processes left: %v", left)
	}
	for _, port := range listening(t) {
		if !slices.Contains(portsBefore, port) {
			t.Errorf("port left open: %s", port)
		}
	}
	err := filepath.WalkDir(h.state(), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("state left: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(h.dir, "*.kubeconfig")); len(left) > 0 {
		t.Errorf("kubeconfigs left: %v", left)
	}
}
