// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// managerCrashes kills a manager: it is started again, and its webhooks answer.
func (h *home) managerCrashes(t *testing.T) {
	const name = "capi-system/capi-controller-manager"
	before := h.table("demo")
	if said := h.askWebhook(t); said != "" {
		t.Errorf("before the crash: %s", said)
	}
	began := time.Now()
	if err := syscall.Kill(before.pid(name), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, 3*time.Minute, func() string {
		for _, p := range h.table("demo").Processes {
			if p.Name == name && p.Ready && p.Restarts > 0 && p.Ident.PID != before.pid(name) {
				return ""
			}
		}
		return "the manager isn't back"
	})
	wait(t, 3*time.Minute, func() string { return h.askWebhook(t) })
	wait(t, 3*time.Minute, func() string {
		b := h.items(t, "get", "bootstraps")[0]
		if managers, _ := b["providers"].([]any); b["state"] == "running" && len(managers) == 4 {
			return ""
		}
		return fmt.Sprintf("get bootstraps says %v", b)
	})
	t.Logf("the manager was back, its webhooks answered after %.1f s", time.Since(began).Seconds())
	if after := h.table("demo"); after.pid("kube-apiserver") != before.pid("kube-apiserver") || after.pid("capd-system/capd-controller-manager") != before.pid("capd-system/capd-controller-manager") {
		t.Error("other processes were started again too")
	}
}

// deleteWhileManagersCrash deletes the cluster that has a MachineDeployment of its own while the managers which take it apart are killed
// one after the other: their webhooks are away with them, and what they had in mind is lost.
func (h *home) deleteWhileManagersCrash(t *testing.T) {
	t.Helper()
	p := h.start(t, "delete", "cluster", "egret", "--yes", "--progress", "json")
	if !p.until(t, "start", "delete-cluster") {
		t.Fatalf("ended early:\n%s", tail(p.wait(t).err))
	}
	for _, name := range []string{"capi-system/capi-controller-manager", "capd-system/capd-controller-manager", "capi-system/capi-controller-manager"} {
		select {
		case <-p.done:
		case <-time.After(2 * time.Second): // in the middle of something else each time
			if pid := h.table("demo").pid(name); pid > 0 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	r := p.wait(t)
	t.Logf("delete cluster while managers crash: %.0f s", r.took.Seconds())
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, tail(r.err))
	}
}

// askWebhook asks the core manager's webhooks to judge a Cluster that they must refuse; it says what is wrong with the answer.
func (h *home) askWebhook(t *testing.T) string {
	t.Helper()
	bad := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
		"metadata": map[string]any{"name": "bad", "namespace": "default"},
		"spec":     map[string]any{"clusterNetwork": map[string]any{"pods": map[string]any{"cidrBlocks": []any{"nonsense"}}}},
	}}
	_, err := connect(t, h.management("demo")).Resource(capi("", "clusters")).Namespace("default").Create(t.Context(), bad,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil || !strings.Contains(err.Error(), "nonsense") {
		return fmt.Sprintf("the webhook says: %v", err)
	}
	return ""
}
