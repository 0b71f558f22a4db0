// SPDX-License-Identifier: Apache-2.0

package existing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/existing"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/test/testenv"
)

func TestExisting(t *testing.T) {
	env := testenv.Start(t)
	c := existing.New(env.Kubeconfig, "")
	if err := c.Ensure(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Running {
		t.Errorf("Status: %+v, %v", st, err)
	}
	objs := []*unstructured.Unstructured{{}}
	if out, err := c.Prepare(objs); err != nil || len(out) != 1 || out[0] != objs[0] {
		t.Errorf("Prepare: %v, %v", out, err)
	}
	if c.Type() != bootstrap.Existing || c.Kubeconfig() != env.Kubeconfig || c.Name() != "existing" {
		t.Errorf("it is %s %s %s", c.Type(), c.Name(), c.Kubeconfig())
	}
	client, err := kubernetes.NewForConfig(env.REST)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("logs", func(t *testing.T) { checkLogs(t, c, client) })
	if err := c.Delete(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := client.CoreV1().Namespaces().Get(t.Context(), "kube-system", metav1.GetOptions{}); err != nil {
		t.Errorf("after Delete: %v", err)
	}
}

// checkLogs: without nodes there are no logs, but the API server says whose it was asked for.
func checkLogs(t *testing.T, c *existing.Cluster, client kubernetes.Interface) {
	t.Helper()
	if _, err := c.Logs(t.Context(), "default", "manager", 5); err == nil || !strings.Contains(err.Error(), "default/manager") {
		t.Errorf("no Deployment: %v", err)
	}
	labels := map[string]string{"app": "x"}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "proxy", Image: "x"}, {Name: "manager", Image: "x"}}},
	}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "manager"},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}
	if _, err := client.AppsV1().Deployments("default").Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if lines, err := c.Logs(t.Context(), "default", "manager", 5); err != nil || lines != nil {
		t.Errorf("no pod: %q, %v", lines, err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "manager-1", Labels: labels}, Spec: template.Spec}
	if _, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if lines, err := c.Logs(t.Context(), "default", "manager", 5); err != nil && !strings.Contains(err.Error(), "default/manager-1") {
		t.Errorf("a pod without a node: %q, %v", lines, err)
	}
}

func TestWrongKubeconfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "config")
	content := `{apiVersion: v1, kind: Config, current-context: one, contexts: [{name: one, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: "https://example.com"}}], users: [{name: u, user: {token: t}}]}`
	for file, text := range map[string]string{config: content, filepath.Join(dir, "rubbish"): "{"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct{ file, context, want string }{
		"missing":         {filepath.Join(dir, "nothing"), "", "nothing"},
		"malformed":       {filepath.Join(dir, "rubbish"), "", "rubbish"},
		"unknown context": {config, "two", "one"},
	} {
		c := existing.New(tt.file, tt.context)
		err := c.Ensure(t.Context(), nil)
		if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), tt.want) || len(fault.Hints(err)) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Degraded {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
	}
	if err := existing.New(config, "one").Ensure(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
