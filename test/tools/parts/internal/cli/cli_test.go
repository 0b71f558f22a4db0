// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(t.Context(), args, Process{
		Getenv: func(name string) string { return map[string]string{"HOME": "/home/a user"}[name] },
		Stdout: &out, Stderr: &errs,
	})
	return code, out.String(), errs.String()
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		want int
	}{
		{"help", []string{"--help"}, 0},
		{"help of a command", []string{"build", "-h"}, 0},
		{"unknown command", []string{"nope"}, 2},
		{"unknown flag", []string{"env", "--nope"}, 2},
		{"argument too many", []string{"env", "nope"}, 2},
		{"missing flag", []string{"config"}, 2},
		{"wrong tools folder", []string{"env", "--tools", t.TempDir()}, 1},
		{"engine without an action", []string{"engine"}, 2},
		{"engine with an unknown action", []string{"engine", "nope", "--cache", t.TempDir()}, 2},
		{"nothing to serve", []string{"serve", "--cache", t.TempDir()}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := run(t, test.args...); code != test.want {
				t.Errorf("exit code %d, want %d: %s", code, test.want, stderr)
			}
		})
	}
}

func TestEnv(t *testing.T) {
	t.Parallel()
	_, out, _ := run(t, "env")
	if !strings.Contains(out, "export KUBEBUILDER_ASSETS='/home/a user/.cache/clusterctl-parts/kube/v1.") {
		t.Errorf("no quoted KUBEBUILDER_ASSETS in:\n%s", out)
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"/a-b.c": "/a-b.c", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$x": "'$x'"} {
		if got := quote(value); got != want {
			t.Errorf("quote(%q) = %s, want %s", value, got, want)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	got, err := clusterctlConfig("/c", "v1.2.3", "127.0.0.1:5000")
	if err != nil {
		t.Fatal(err)
	}
	want := `images:
  all:
    repository: 127.0.0.1:5000/cluster-api
providers:
- name: cluster-api
  type: CoreProvider
  url: /c/repository/cluster-api/v1.2.3/core-components.yaml
- name: kubeadm
  type: BootstrapProvider
  url: /c/repository/bootstrap-kubeadm/v1.2.3/bootstrap-components.yaml
- name: kubeadm
  type: ControlPlaneProvider
  url: /c/repository/control-plane-kubeadm/v1.2.3/control-plane-components.yaml
- name: docker
  type: InfrastructureProvider
  url: /c/repository/infrastructure-docker/v1.2.3/infrastructure-components.yaml
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("clusterctl.yaml (-want +got):\n%s", diff)
	}
}
