// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
)

// marked lists the processes that carry a bootstrap's mark, read independently of the code under test.
func marked(t *testing.T, dir string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00CLUSTERCTL_BOOTSTRAP_DIR="+dir+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func supervisorPID(t *testing.T, f fixture, name string) int {
	t.Helper()
	infos, err := local.List(f.dirs)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		if i.Name == name {
			return i.SupervisorPID
		}
	}
	return 0
}

// pids are the process ids of a bootstrap by name.
func pids(t *testing.T, c *local.Cluster) map[string]int {
	t.Helper()
	st, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, p := range st.Processes {
		found[p.Name] = p.PID
	}
	return found
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

func TestKilledAndBroughtBack(t *testing.T) {
	f := newFixture(t)
	image := push(t, startRegistry(t), "demo/manager", managerProgram(t))
	c := f.bootstrap(t, "crash")
	ensure(t, c)
	install(t, c, image)
	client := clientset(t, c.Kubeconfig())
	awaitAvailable(t, client, demoNamespace, demoDeployment)
	keep := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), keep, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	t.Run("each process comes back", func(t *testing.T) {
		for name, pid := range pids(t, c) {
			kill(t, pid)
			eventually(t, 3*time.Minute, func() string {
				st, err := c.Status(t.Context())
				if err != nil {
					return err.Error()
				}
				if now := pids(t, c)[name]; now == 0 || now == pid || st.State != bootstrap.Running {
					return name + " isn't back: " + st.Detail
				}
				return ""
			})
		}
		awaitAvailable(t, client, demoNamespace, demoDeployment)
	})
	t.Run("supervisor killed", func(t *testing.T) {
		kill(t, supervisorPID(t, f, "crash"))
		eventually(t, 5*time.Second, func() string {
			if left := marked(t, c.Dir()); len(left) > 0 {
				return "processes are left: " + strconv.Itoa(len(left))
			}
			return ""
		})
		st, err := c.Status(t.Context())
		if err != nil || st.State != bootstrap.Stopped || st.Detail == "" {
			t.Errorf("Status: %+v, %v", st, err)
		}
		ensure(t, c)
		if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
			t.Errorf("the data is gone: %v", err)
		}
		checkNotStale(t, c, client)
		awaitReady(t, c)
	})
	t.Run("deleted without supervisor", func(t *testing.T) {
		kill(t, supervisorPID(t, f, "crash"))
		if err := c.Delete(t.Context(), logSink(t)); err != nil {
			t.Fatal(err)
		}
		if left := marked(t, c.Dir()); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
}

// checkNotStale makes sure that what the Deployment said before the crash isn't said of a process that isn't there.
func checkNotStale(t *testing.T, c *local.Cluster, client *kubernetes.Clientset) {
	t.Helper()
	d, err := client.AppsV1().Deployments(demoNamespace).Get(t.Context(), demoDeployment, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Status.AvailableReplicas > 0 && pids(t, c)[demoNamespace+"/"+demoDeployment] == 0 {
		t.Error("the Deployment is available and nothing of it runs")
	}
}

// awaitReady waits until everything runs, the provider too.
func awaitReady(t *testing.T, c *local.Cluster) {
	t.Helper()
	eventually(t, 3*time.Minute, func() string {
		st, err := c.Status(t.Context())
		if err != nil {
			return err.Error()
		}
		if len(st.Processes) == 4 && st.State == bootstrap.Running {
			return ""
		}
		return st.Detail
	})
}

func TestTwoAtOnce(t *testing.T) {
	f := newFixture(t)
	c := f.bootstrap(t, "twice")
	other, err := local.New(f.options("twice"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, b := range []*local.Cluster{c, other} {
		wg.Go(func() { errs[i] = b.Ensure(t.Context(), logSink(t)) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	// A supervisor, etcd, kube-apiserver, kube-controller-manager.
	if got := marked(t, c.Dir()); len(got) != 4 {
		t.Errorf("%d processes run", len(got))
	}
}

// TestEnsureCancelledLeavesNothing interrupts a start in the middle: an API server that never answers keeps it there on every host.
func TestEnsureCancelledLeavesNothing(t *testing.T) {
	f := newFixture(t)
	f.assets = brokenAssets(t, f.assets, "kube-apiserver", "exec sleep 600")
	c := f.bootstrap(t, "cancelled")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.Ensure(ctx, logSink(t)) }()
	eventually(t, 45*time.Second, func() string { // within StartTimeout
		if n := len(marked(t, c.Dir())); n < 3 {
			return strconv.Itoa(n) + " processes run, want supervisor, etcd and API server"
		}
		return ""
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Ensure: %v", err)
	}
	if left := marked(t, c.Dir()); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}
