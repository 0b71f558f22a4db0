// SPDX-License-Identifier: Apache-2.0

//go:build linux

package local_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

// awaitCondition waits until the Deployment isn't available, and says why with want in it.
func awaitCondition(t *testing.T, client *kubernetes.Clientset, want string) {
	t.Helper()
	eventually(t, 30*time.Second, func() string {
		d, err := client.AppsV1().Deployments(demoNamespace).Get(t.Context(), demoDeployment, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if got := condition(d); !strings.HasPrefix(got, "False: ") || !strings.Contains(got, want) || d.Status.AvailableReplicas != 0 {
			return fmt.Sprintf("condition is %q, not %q", got, want)
		}
		return ""
	})
}

// TestProviderTrouble shows what people see of a provider that can't run.
func TestProviderTrouble(t *testing.T) {
	f := newFixture(t)
	registry := startRegistry(t)
	image := push(t, registry, "demo/manager", managerProgram(t))
	foreign := pushFor(t, registry, "demo/foreign", managerProgram(t), "s390x")
	c := f.bootstrap(t, "trouble")
	ensure(t, c)
	install(t, c, image)
	client := clientset(t, c.Kubeconfig())
	awaitAvailable(t, client, demoNamespace, demoDeployment)
	container := func(field string) string {
		return `{"spec":{"template":{"spec":{"containers":[{"name":"manager",` + field + `}]}}}}`
	}
	good := container(`"image":"` + image + `"`)

	for _, tt := range []struct{ name, broken, repaired, want string }{
		{"image isn't there", container(`"image":"` + registry + `/demo/nothing:v1"`), good, "pull image " + registry + "/demo/nothing:v1"},
		{"image for another platform", container(`"image":"` + foreign + `"`), good, "it is for linux/s390x"},
		{"no such program", container(`"command":["/other"]`), container(`"command":["/manager"]`), "the image holds no program /other"},
		{
			"init container", `{"spec":{"template":{"spec":{"initContainers":[{"name":"init","image":"x"}]}}}}`,
			`{"spec":{"template":{"spec":{"initContainers":[{"name":"init","$patch":"delete"}]}}}}`, "it has init containers",
		},
		{
			"never ready", container(`"readinessProbe":{"httpGet":{"path":"/nothing"}}`),
			container(`"readinessProbe":{"httpGet":{"path":"/readyz"}}`), "answers 404",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			patch(t, client, tt.broken)
			awaitCondition(t, client, tt.want)
			if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Degraded || !strings.Contains(st.Detail, tt.want) {
				t.Errorf("Status: %+v, %v", st, err)
			}
			patch(t, client, tt.repaired)
			awaitAvailable(t, client, demoNamespace, demoDeployment)
		})
	}
	t.Run("secret comes later", func(t *testing.T) {
		patch(t, client, container(`"env":[{"name":"LATE","valueFrom":{"secretKeyRef":{"name":"late","key":"k"}}}]`))
		awaitCondition(t, client, "Secret demo-system/late: not found")
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "late"}, StringData: map[string]string{"k": "v"}}
		if _, err := client.CoreV1().Secrets(demoNamespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		awaitAvailable(t, client, demoNamespace, demoDeployment)
	})
	t.Run("doesn't end when told to", func(t *testing.T) {
		patch(t, client, container(`"env":[{"name":"STUBBORN","value":"yes"}]`))
		eventually(t, 20*time.Second, func() string {
			if pid := findProvider(t, c); pid != "" {
				if _, env := commandLineOf(t, pid); slices.Contains(env, "STUBBORN=yes") {
					return ""
				}
			}
			return "the new version doesn't run yet"
		})
		awaitAvailable(t, client, demoNamespace, demoDeployment)
		pid := providerPID(t, c)
		patch(t, client, `{"spec":{"replicas":0}}`)
		eventually(t, 10*time.Second, func() string {
			if _, err := os.Stat("/proc/" + pid); err == nil {
				return "it is still there" // Two seconds is what the Deployment grants it.
			}
			return ""
		})
	})
}
