// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestInputsSayInWhichWayAClusterIsDescribed(t *testing.T) {
	t.Parallel()
	three := int64(3)
	for name, tc := range map[string]struct {
		in   Inputs
		want Mode
		err  string
	}{
		"a provider alone":          {Inputs{Infrastructure: "docker"}, FromTemplate, ""},
		"a flavor":                  {Inputs{Infrastructure: "docker", Flavor: "in-memory"}, FromTemplate, ""},
		"files":                     {Inputs{Files: []string{"c.yaml"}}, FromFiles, ""},
		"files and their providers": {Inputs{Files: []string{"c.yaml"}, Infrastructure: "docker"}, FromFiles, ""},
		"the first clusterctl's":    {Inputs{ClusterFile: "c.yaml", MachinesFile: "m.yaml"}, FromLegacy, ""},
		"nothing":                   {Inputs{}, "", "nothing says what the cluster looks like"},
		"files and a flavor":        {Inputs{Files: []string{"c.yaml"}, Flavor: "x"}, "", "2 ways at once: files, template"},
		"files and a machine count": {Inputs{Files: []string{"c.yaml"}, WorkerMachineCount: &three}, "", "2 ways at once"},
		"both kinds of files":       {Inputs{Files: []string{"c.yaml"}, ClusterFile: "c.yaml"}, "", "2 ways at once: files, legacy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.in.Mode()
			if got != tc.want {
				t.Errorf("mode %q, want %q", got, tc.want)
			}
			checkUsage(t, err, tc.err)
		})
	}
}

func TestInputsAreRefusedAllAtOnce(t *testing.T) {
	t.Parallel()
	zero, minus := int64(0), int64(-2)
	err := Inputs{
		Infrastructure: "docker", KubernetesVersion: "1.34", ControlPlaneMachineCount: &zero, WorkerMachineCount: &minus,
		AddonFiles: []string{"-", "-"},
	}.Validate()
	for _, want := range []string{
		`--kubernetes-version "1.34" is not a version`, "--control-plane-machine-count 0", "--worker-machine-count -2", "only once, it is named 2 times",
	} {
		checkUsage(t, err, want)
	}
}

func TestInputsAreRecordedWithAbsolutePaths(t *testing.T) {
	t.Chdir(t.TempDir())
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	in, err := Inputs{Files: []string{"c.yaml", "-", "https://example.com/c.yaml", "/abs/c.yaml", "s3://bucket/c.yaml"}}.absolute()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(in.Files, " "), wd+"/c.yaml - https://example.com/c.yaml /abs/c.yaml s3://bucket/c.yaml"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAKubeconfigPathAloneDescribesNoCluster(t *testing.T) {
	t.Parallel()
	if !(Inputs{KubeconfigOut: "x"}).Empty() {
		t.Error("--kubeconfig-out alone must not replace the inputs of an earlier run")
	}
	if (Inputs{Flavor: "x"}).Empty() {
		t.Error("a flavor describes a cluster")
	}
}

// checkUsage wants no error for an empty text, else one of class Usage that holds it.
func checkUsage(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case want == "":
	case err == nil || !strings.Contains(err.Error(), want):
		t.Errorf("error %v, want one that says %q", err, want)
	case fault.CodeOf(err) != fault.Usage:
		t.Errorf("class %d, want Usage", fault.CodeOf(err))
	}
}

func TestSimulated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"real.yaml": "spec: {backend: {docker: {}}}\n", "simulated/all.yaml": "spec: {backend: {inMemory: {}}}\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		in   Inputs
		want bool
	}{
		"the flavor":         {Inputs{Flavor: "in-memory"}, true},
		"another flavor":     {Inputs{Flavor: "development"}, false},
		"a file of machines": {Inputs{Files: []string{filepath.Join(dir, "real.yaml")}}, false},
		"a folder":           {Inputs{Files: []string{filepath.Join(dir, "simulated")}}, true},
		"v0.2 files":         {Inputs{ClusterFile: filepath.Join(dir, "real.yaml"), MachinesFile: filepath.Join(dir, "simulated", "all.yaml")}, true},
		"what isn't there":   {Inputs{Files: []string{filepath.Join(dir, "nothing.yaml"), "-", "https://pond.example/x.yaml"}}, false},
	} {
		if got := tt.in.simulated(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
