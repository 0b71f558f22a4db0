// SPDX-License-Identifier: Apache-2.0

package pod_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/pod"
)

// files is a Reader of fixed content.
type files map[string]map[string][]byte

func (f files) Secret(_ context.Context, _, name string) (map[string][]byte, error) {
	if data, ok := f["secret/"+name]; ok {
		return data, nil
	}
	return nil, pod.ErrNotFound
}

func (f files) ConfigMap(_ context.Context, _, name string) (map[string][]byte, error) {
	if data, ok := f["configmap/"+name]; ok {
		return data, nil
	}
	return nil, pod.ErrNotFound
}

func newPod(t *testing.T, spec corev1.PodSpec) *pod.Pod {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pod")
	return &pod.Pod{
		Deployment: &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "manager", UID: "uid"},
			Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}}, Spec: spec,
			}},
		},
		Dir: dir, IP: "127.0.0.2", Kubeconfig: "/kubeconfig",
		Reader: files{
			"secret/certs":    {"tls.crt": []byte("crt"), "tls.key": []byte("key")},
			"configmap/words": {"greeting": []byte("hello")},
		},
		Ports:   map[int]int{9443: 12001, 9440: 12002, 8443: 12003},
		NewPort: func(string) (int, error) { return 12999, nil },
	}
}

var capiFlags = map[string]string{
	"kubeconfig": "", "leader-elect": "", "webhook-port": "9443", "webhook-cert-dir": "/tmp/k8s-webhook-server/serving-certs/",
	"health-addr": ":9440", "diagnostics-address": ":8443", "profiler-address": "", "feature-gates": "", "webhook-key-name": "tls.key",
}

func TestArguments(t *testing.T) {
	t.Parallel()
	mounts := []corev1.VolumeMount{{Name: "certs", MountPath: "/tmp/k8s-webhook-server/serving-certs"}, {Name: "sock", MountPath: "/var/run/docker.sock"}}
	volumes := []corev1.Volume{
		{Name: "certs", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "certs"}}},
		{Name: "sock", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/run/docker.sock"}}},
	}
	for _, tt := range []struct {
		name  string
		flags map[string]string
		args  []string
		want  []string
	}{
		{
			"Cluster API's managers", capiFlags,
			[]string{"--leader-elect", "--diagnostics-address=:8443", "--insecure-diagnostics=false", "--feature-gates=A=true,B=false"},
			[]string{
				"--leader-elect=false", "--diagnostics-address=127.0.0.1:12003", "--insecure-diagnostics=false", "--feature-gates=A=true,B=false",
				"--health-addr=127.0.0.1:12002", "--webhook-cert-dir=DIR/volumes/certs/", "--webhook-port=12001", "--kubeconfig=/kubeconfig",
			},
		},
		{
			"flags in two words", capiFlags,
			[]string{"--health-addr", "0.0.0.0:9440", "--webhook-port", "9443", "-webhook-cert-dir", "/tmp/k8s-webhook-server/serving-certs"},
			[]string{
				"--health-addr", "127.0.0.1:12002", "--webhook-port", "12001", "-webhook-cert-dir", "DIR/volumes/certs",
				"--diagnostics-address=127.0.0.1:12003", "--kubeconfig=/kubeconfig",
			},
		},
		{
			"listeners without container ports",
			map[string]string{"metrics-bind-addr": "localhost:8080", "health-probe-bind-address": ":8081", "api-address": ":1"},
			[]string{"--metrics-bind-addr=127.0.0.1:7070"},
			[]string{"--metrics-bind-addr=127.0.0.1:12999", "--health-probe-bind-address=127.0.0.1:12999"},
		},
		{
			"what isn't about this host stays", capiFlags,
			[]string{"--docker=/var/run/docker.sock", "--remote=example.com:9443", "--number=9443", "--health-addr=[::]:9440", "--diagnostics-address=0", "--webhook-port=0", "--webhook-cert-dir=/x", "--", "--health-addr"},
			[]string{
				"--docker=/var/run/docker.sock", "--remote=example.com:9443", "--number=9443", "--health-addr=127.0.0.1:12002", "--diagnostics-address=0", "--webhook-port=0", "--webhook-cert-dir=/x",
				"--kubeconfig=/kubeconfig", "--", "--health-addr",
			},
		},
		{"nothing is known of the program", nil, []string{"--enable-leader-election", "--metrics-addr=:8443"}, []string{"--enable-leader-election=false", "--metrics-addr=127.0.0.1:12003"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := corev1.Container{VolumeMounts: mounts}
			p := newPod(t, corev1.PodSpec{Containers: []corev1.Container{c}, Volumes: volumes})
			got, err := p.Process(t.Context(), &c, pod.Image{Start: []string{"/manager"}, Args: tt.args, Flags: tt.flags})
			if err != nil {
				t.Fatal(err)
			}
			want := append([]string{"/manager"}, tt.want...)
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "DIR", p.Dir)
			}
			if diff := cmp.Diff(want, got.Argv); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPromisedPortNeedsAFlag(t *testing.T) {
	t.Parallel()
	c := corev1.Container{Ports: []corev1.ContainerPort{{ContainerPort: 9443, Name: "webhook-server"}}}
	p := newPod(t, corev1.PodSpec{Containers: []corev1.Container{c}})
	p.Promised = map[int]string{9443: "webhook-server"}
	_, err := p.Process(t.Context(), &c, pod.Image{Start: []string{"/manager"}, Flags: map[string]string{"kubeconfig": ""}})
	if !errors.Is(err, pod.ErrUnsupported) {
		t.Errorf("Process: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	yes := true
	c := corev1.Container{
		EnvFrom: []corev1.EnvFromSource{
			{Prefix: "W_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "words"}}},
			{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "none"}, Optional: &yes}},
		},
		Env: []corev1.EnvVar{
			{Name: "NAME", ValueFrom: field("metadata.name")},
			{Name: "NS", ValueFrom: field("metadata.namespace")},
			{Name: "UID", ValueFrom: field("metadata.uid")},
			{Name: "IP", ValueFrom: field("status.podIP")},
			{Name: "SA", ValueFrom: field("spec.serviceAccountName")},
			{Name: "LABEL", ValueFrom: field("metadata.labels['app']")},
			{Name: "SUM", Value: "$(NS)/$(W_greeting)$$(NS)$(NONE)$"},
			{Name: "CPU", ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{}}},
			{Name: "CRT", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "certs"}, Key: "tls.crt"}}},
			{Name: "KUBECONFIG", Value: "/other"},
			{Name: "CERTS", Value: "/certs/tls.crt"},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "certs", MountPath: "/certs"}},
	}
	p := newPod(t, corev1.PodSpec{Containers: []corev1.Container{c}, Volumes: []corev1.Volume{
		{Name: "certs", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "certs"}}},
	}})
	got, err := p.Process(t.Context(), &c, pod.Image{Start: []string{"/m"}, Env: []string{"PATH=/bin", "NS=overridden"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"CERTS=" + p.Dir + "/volumes/certs/tls.crt", "CRT=crt", "HOME=" + p.Dir, "IP=127.0.0.2", "KUBECONFIG=/kubeconfig", "LABEL=x", "NAME=manager-local", "NS=ns",
		"PATH=/bin", "SA=default", "SUM=ns/hello$(NS)$(NONE)$", "TMPDIR=" + p.Dir + "/tmp", "UID=uid", "W_greeting=hello",
	}
	if diff := cmp.Diff(want, got.Env); diff != "" {
		t.Error(diff)
	}
	for _, broken := range []corev1.EnvVar{
		{Name: "X", ValueFrom: field("spec.restartPolicy")},
		{Name: "X", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "certs"}, Key: "no"}}},
		{Name: "X", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "no"}, Key: "no"}}},
	} {
		c := corev1.Container{Env: []corev1.EnvVar{broken}}
		if _, err := p.Process(t.Context(), &c, pod.Image{Start: []string{"/m"}}); err == nil {
			t.Errorf("%+v is accepted", broken.ValueFrom)
		}
	}
}

func TestVolumes(t *testing.T) {
	t.Parallel()
	secret := func(name string, items ...corev1.KeyToPath) corev1.VolumeSource {
		return corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name, Items: items}}
	}
	for _, tt := range []struct {
		name   string
		source corev1.VolumeSource
		want   []string
		err    string
	}{
		{"secret", secret("certs"), []string{"tls.crt", "tls.key"}, ""},
		{"items", secret("certs", corev1.KeyToPath{Key: "tls.crt", Path: "sub/crt"}), []string{"sub/crt"}, ""},
		{"leads out", secret("certs", corev1.KeyToPath{Key: "tls.crt", Path: "../crt"}), nil, "leads out"},
		{"missing", secret("no"), nil, "not found"},
		{"missing key", secret("certs", corev1.KeyToPath{Key: "no", Path: "no"}), nil, "not found"},
		{"configmap", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "words"}}}, []string{"greeting"}, ""},
		{"empty", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}, nil, ""},
		{"projected", corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
			{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "certs"}}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "ns", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}}},
		}}}, []string{"ns", "tls.crt", "tls.key"}, ""},
		{"claim", corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{}}, nil, "unsupported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := corev1.Container{VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/tmp/a/b"}}}
			p := newPod(t, corev1.PodSpec{Containers: []corev1.Container{c}, Volumes: []corev1.Volume{{Name: "v", VolumeSource: tt.source}}})
			stale := filepath.Join(p.Dir, "volumes", "v", "stale")
			if err := os.MkdirAll(filepath.Dir(stale), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(stale, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			err := p.Volumes(t.Context())
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("Volumes: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "empty" {
				return
			}
			if diff := cmp.Diff(tt.want, tree(t, filepath.Join(p.Dir, "tmp", "a", "b")+"/")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// tree lists the files below dir and makes sure that they are private.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		if !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]corev1.PodSpec{
		"init containers": {InitContainers: []corev1.Container{{}}, Containers: []corev1.Container{{}}},
		"no containers":   {},
	} {
		if err := pod.Check(&corev1.PodTemplateSpec{Spec: spec}); !errors.Is(err, pod.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
