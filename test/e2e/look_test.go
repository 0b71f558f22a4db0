// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// connect makes a client of what a kubeconfig points to.
func connect(t *testing.T, kubeconfig string) dynamic.Interface {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// list lists objects through a kubeconfig, as name → UID.
func list(t *testing.T, kubeconfig string, gvr schema.GroupVersionResource) map[string]string {
	t.Helper()
	objs, err := connect(t, kubeconfig).Resource(gvr).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, o := range objs.Items {
		out[o.GetName()] = string(o.GetUID())
	}
	return out
}

func capi(group, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: strings.TrimPrefix(group+".cluster.x-k8s.io", "."), Version: "v1beta2", Resource: resource}
}

// clusterObjects lists what makes up clusters on a management cluster, as resource/name → UID.
func clusterObjects(t *testing.T, kubeconfig string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, gvr := range []schema.GroupVersionResource{
		capi("", "clusters"), capi("", "clusterclasses"), capi("", "machinedeployments"), capi("", "machinesets"), capi("", "machines"),
		capi("controlplane", "kubeadmcontrolplanes"), capi("bootstrap", "kubeadmconfigs"),
		capi("infrastructure", "devclusters"), capi("infrastructure", "devmachines"),
	} {
		for name, uid := range list(t, kubeconfig, gvr) {
			out[gvr.Resource+"/"+name] = uid
		}
	}
	return out
}

// everythingOn lists all objects of a cluster, as resource namespace/name, but what comes and goes by itself.
func everythingOn(t *testing.T, kubeconfig string) []string {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := client.ServerPreferredResources()
	if err != nil {
		t.Logf("discovery: %v", err) // a group may be on its way out
	}
	var out []string
	for _, g := range groups {
		gv, _ := schema.ParseGroupVersion(g.GroupVersion)
		for _, r := range g.APIResources {
			if r.Name == "events" || r.Name == "pods" || !slices.Contains(r.Verbs, "list") {
				continue
			}
			objs, err := connect(t, kubeconfig).Resource(gv.WithResource(r.Name)).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Logf("list %s: %v", r.Name, err)
				continue
			}
			for _, o := range objs.Items {
				if o.GetLabels()["kubernetes.io/bootstrapping"] == "" { // The API server makes those when it finds the time.
					out = append(out, fmt.Sprintf("%s.%s %s/%s", r.Name, gv.Group, o.GetNamespace(), o.GetName()))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// settled is everythingOn once a new cluster has come to rest.
func settled(t *testing.T, kubeconfig string) []string {
	t.Helper()
	before := everythingOn(t, kubeconfig)
	for range 10 {
		time.Sleep(4 * time.Second)
		now := everythingOn(t, kubeconfig)
		if slices.Equal(before, now) {
			return now
		}
		before = now
	}
	return before
}

// wantDemo wants exactly one cluster of three machines, nothing double, and gives its objects.
func (h *home) wantDemo(t *testing.T) map[string]string {
	t.Helper()
	objs := clusterObjects(t, h.management("demo"))
	count := map[string]int{}
	for name := range objs {
		kind, _, _ := strings.Cut(name, "/")
		count[kind]++
	}
	want := map[string]int{
		"clusters": 1, "clusterclasses": 1, "machinedeployments": 1, "machinesets": 1, "machines": 3,
		"kubeadmcontrolplanes": 1, "kubeadmconfigs": 3, "devclusters": 1, "devmachines": 3,
	}
	if !maps.Equal(count, want) {
		t.Errorf("objects %v, want %v", count, want)
	}
	return objs
}

// wantNodes wants the simulated nodes to be there; after a restart of the provider they are filled in again.
func wantNodes(t *testing.T, kubeconfig string, n int) {
	t.Helper()
	nodes := 0
	wait(t, 2*time.Minute, func() string {
		nodes = len(list(t, kubeconfig, schema.GroupVersionResource{Version: "v1", Resource: "nodes"}))
		return map[bool]string{false: fmt.Sprintf("%d nodes, want %d", nodes, n)}[nodes == n]
	})
}

// wait looks until nothing is missing any more.
func wait(t *testing.T, limit time.Duration, missing func() string) {
	t.Helper()
	text := ""
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if text = missing(); text == "" {
			return
		}
	}
	t.Errorf("after %s: %s", limit, text)
}

// ports are where the processes of a bootstrap cluster listen.
func (h *home) ports(bootstrap string) []int {
	var out []int
	for pid := range h.table(bootstrap).known() {
		for _, l := range listenersOf(pid) {
			out = append(out, l.port)
		}
	}
	return out
}

// wantNothingLeft wants no process, port, state or kubeconfig of a user who has deleted everything.
// ports are those that his bootstrap cluster had.
func (h *home) wantNothingLeft(t *testing.T, ports []int) {
	t.Helper()
	for _, pid := range marked(h.state()) {
		t.Errorf("left: %s", describe(pid))
	}
	for _, l := range listeners() {
		for _, p := range ports {
			if l.port == p {
				t.Errorf("port left open: %s by %s", l, owner(l.inode))
			}
		}
	}
	for _, f := range h.files(t) {
		t.Errorf("state left: %s", f)
	}
	if left, _ := filepath.Glob(filepath.Join(h.dir, "*.kubeconfig")); len(left) > 0 {
		t.Errorf("kubeconfigs left: %v", left)
	}
}

// files lists the files of the state directory.
func (h *home) files(t *testing.T) []string {
	t.Helper()
	return filesBelow(t, h.state())
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, rel)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return out
}
