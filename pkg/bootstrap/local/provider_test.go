// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// install prepares and applies the test provider.
func install(t *testing.T, c *local.Cluster, image string) {
	t.Helper()
	data, err := os.ReadFile("testdata/provider.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objs, err := manifest.Parse(manifest.Source{Name: "provider.yaml", Data: []byte(strings.ReplaceAll(string(data), "IMAGE", image))})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, c, manifest.Unwrap(objs))
}

func apply(t *testing.T, c *local.Cluster, objs []*unstructured.Unstructured) {
	t.Helper()
	prepared, err := c.Prepare(objs)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := kube.LoadConfig(kube.ConfigSource{Path: c.Kubeconfig(), Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kube.New(cfg.REST, kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if _, err := client.Apply(ctx, prepared, kube.ApplyOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
}

// clientset is an admin client of a bootstrap.
func clientset(t *testing.T, kubeconfig string) *kubernetes.Clientset {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	cfg.QPS = -1
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// eventually polls until check says "", and fails with what it said last.
func eventually(t *testing.T, timeout time.Duration, check func() string) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		why := check()
		if why == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", timeout, why)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// condition gives a Deployment's Available condition as "status: message".
func condition(d *appsv1.Deployment) string {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable {
			return string(c.Status) + ": " + c.Message
		}
	}
	return "none"
}

const (
	demoNamespace  = "demo-system"
	demoDeployment = "demo-controller-manager"
)

func awaitAvailable(t *testing.T, client *kubernetes.Clientset, namespace, name string) {
	t.Helper()
	eventually(t, 3*time.Minute, func() string {
		d, err := client.AppsV1().Deployments(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if d.Status.ObservedGeneration == d.Generation && d.Status.AvailableReplicas > 0 {
			return ""
		}
		return name + " " + condition(d)
	})
}

func TestProvider(t *testing.T) {
	f := newFixture(t)
	image := push(t, startRegistry(t), "demo/manager", managerProgram(t))
	c := f.bootstrap(t, "provider")
	ensure(t, c)
	install(t, c, image)
	client := clientset(t, c.Kubeconfig())
	awaitAvailable(t, client, demoNamespace, demoDeployment)

	t.Run("webhook answers by URL", func(t *testing.T) {
		for name, wantErr := range map[string]string{"fine": "", "refused-1": "the manager refuses it"} {
			_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
				t.Errorf("create %s: %v", name, err)
			}
		}
	})
	t.Run("started as its pod would be", func(t *testing.T) { checkReport(t, c) })
	t.Run("runs as its service account", func(t *testing.T) { checkIdentity(t, c) })
	t.Run("logs", func(t *testing.T) {
		lines, err := c.Logs(t.Context(), demoNamespace, demoDeployment, 5)
		if err != nil || !slices.Contains(lines, "manager is up") {
			t.Errorf("Logs: %q, %v", lines, err)
		}
	})
	t.Run("preparing again changes nothing", func(t *testing.T) {
		before, _ := client.AppsV1().Deployments(demoNamespace).Get(t.Context(), demoDeployment, metav1.GetOptions{})
		install(t, c, image)
		after, _ := client.AppsV1().Deployments(demoNamespace).Get(t.Context(), demoDeployment, metav1.GetOptions{})
		if before.Generation != after.Generation {
			t.Errorf("generation %d → %d", before.Generation, after.Generation)
		}
		awaitAvailable(t, client, demoNamespace, demoDeployment)
	})
	t.Run("scaled to zero and back", func(t *testing.T) { checkScale(t, c, client) })
	t.Run("exits", func(t *testing.T) { checkExits(t, client) })
	t.Run("deleted", func(t *testing.T) { checkDeleted(t, c, client) })
}

// checkReport looks at how the manager was started.
func checkReport(t *testing.T, c *local.Cluster) {
	t.Helper()
	pod := filepath.Join(c.Dir(), "pods", demoNamespace+"_"+demoDeployment)
	args, env := commandLine(t, c)
	for _, want := range []string{
		"--leader-elect=false", "--kubeconfig=" + filepath.Join(pod, "kubeconfig"),
		"--webhook-cert-dir=" + filepath.Join(pod, "volumes", "cert") + "/",
	} {
		if !slices.Contains(args, want) {
			t.Errorf("no %s in %q", want, args)
		}
	}
	for _, prefix := range []string{"--webhook-port=1", "--health-addr=127.0.0.1:1", "--diagnostics-address=127.0.0.1:1"} {
		if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, prefix) }) {
			t.Errorf("no %s… in %q", prefix, args)
		}
	}
	for _, want := range []string{
		"POD_NAMESPACE=demo-system", "POD_NAME=demo-controller-manager-local", "POD_IP=127.0.0.1", "GREETING=hello",
		"BOTH=hello-demo-system-$(x)-$(UNKNOWN)", "SETTINGS=" + filepath.Join(pod, "volumes", "settings", "file.txt"),
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
}

// commandLine reads the running manager's arguments and environment from /proc.
func commandLine(t *testing.T, c *local.Cluster) (args, env []string) {
	t.Helper()
	return commandLineOf(t, providerPID(t, c))
}

func commandLineOf(t *testing.T, pid string) (args, env []string) {
	t.Helper()
	read := func(file string) []string {
		data, err := os.ReadFile(filepath.Join("/proc", pid, file))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimRight(string(data), "\x00"), "\x00")
	}
	return read("cmdline"), read("environ")
}

func checkIdentity(t *testing.T, c *local.Cluster) {
	t.Helper()
	own := clientset(t, filepath.Join(c.Dir(), "pods", demoNamespace+"_"+demoDeployment, "kubeconfig"))
	review, err := own.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := review.Status.UserInfo.Username; got != "system:serviceaccount:demo-system:demo-manager" {
		t.Errorf("it is %q", got)
	}
	eventually(t, 10*time.Second, func() string { // Roles are summed up by a controller.
		if _, err := own.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{}); err != nil {
			return err.Error()
		}
		return ""
	})
	if _, err := own.CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("it may list secrets, which no role says")
	}
}

func checkScale(t *testing.T, c *local.Cluster, client *kubernetes.Clientset) {
	t.Helper()
	pid := providerPID(t, c)
	patch(t, client, `{"spec":{"replicas":0}}`)
	eventually(t, 20*time.Second, func() string {
		d, err := client.AppsV1().Deployments(demoNamespace).Get(t.Context(), demoDeployment, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if d.Status.ObservedGeneration == d.Generation && d.Status.Replicas == 0 {
			return ""
		}
		return condition(d)
	})
	if _, err := os.Stat("/proc/" + pid); err == nil {
		t.Error("status says that nothing runs, but the process does")
	}
	patch(t, client, `{"spec":{"replicas":1}}`)
	awaitAvailable(t, client, demoNamespace, demoDeployment)
}

func checkExits(t *testing.T, client *kubernetes.Clientset) {
	t.Helper()
	patch(t, client, `{"spec":{"template":{"spec":{"containers":[{"name":"manager","env":[{"name":"FAIL","value":"no such thing"}]}]}}}}`)
	eventually(t, 20*time.Second, func() string {
		d, err := client.AppsV1().Deployments(demoNamespace).Get(t.Context(), demoDeployment, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if got := condition(d); got != "False: exited with code 3: Error: no such thing" || d.Status.AvailableReplicas != 0 {
			return got
		}
		return ""
	})
	patch(t, client, `{"spec":{"template":{"spec":{"containers":[{"name":"manager","env":[{"name":"FAIL","$patch":"delete"}]}]}}}}`)
	awaitAvailable(t, client, demoNamespace, demoDeployment)
}

func checkDeleted(t *testing.T, c *local.Cluster, client *kubernetes.Clientset) {
	t.Helper()
	pid := providerPID(t, c)
	if err := client.AppsV1().Deployments(demoNamespace).Delete(t.Context(), demoDeployment, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, func() string {
		if _, err := os.Stat("/proc/" + pid); err == nil {
			return "the process is still there"
		}
		return ""
	})
}

func patch(t *testing.T, client *kubernetes.Clientset, patch string) {
	t.Helper()
	_, err := client.AppsV1().Deployments(demoNamespace).Patch(t.Context(), demoDeployment, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// providerPID is the process id of the only provider.
func providerPID(t *testing.T, c *local.Cluster) string {
	t.Helper()
	pid := findProvider(t, c)
	if pid == "" {
		t.Fatal("no provider runs")
	}
	return pid
}

// findProvider is providerPID, or "" while none runs.
func findProvider(t *testing.T, c *local.Cluster) string {
	t.Helper()
	st, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range st.Processes {
		if p.Provider && p.PID != 0 {
			return strconv.Itoa(p.PID)
		}
	}
	return ""
}
