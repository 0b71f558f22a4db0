// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
)

func TestFlagsChangeOnlyWhatTheyName(t *testing.T) {
	t.Parallel()
	one, two := int64(1), int64(2)
	template := Inputs{Infrastructure: "docker", Flavor: "in-memory", WorkerMachineCount: &two, KubeconfigOut: "/a"}
	files := Inputs{Infrastructure: "docker", Files: []string{"/c.yaml"}, AddonFiles: []string{"/cni.yaml"}}
	legacy := Inputs{ClusterFile: "/c.yaml", MachinesFile: "/m.yaml", ProviderComponents: "/p.yaml"}
	for name, tc := range map[string]struct {
		old, given, want Inputs
		err              string
	}{
		"nothing given": {template, Inputs{}, template, ""},
		"a machine count": {
			template,
			Inputs{WorkerMachineCount: &one},
			Inputs{Infrastructure: "docker", Flavor: "in-memory", WorkerMachineCount: &one, KubeconfigOut: "/a"},
			"",
		},
		"a flavor and a version": {
			template,
			Inputs{Flavor: "x", KubernetesVersion: "v1.34.4"},
			Inputs{Infrastructure: "docker", Flavor: "x", KubernetesVersion: "v1.34.4", WorkerMachineCount: &two, KubeconfigOut: "/a"},
			"",
		},
		"files instead of a template": {
			template,
			Inputs{Files: []string{"/n.yaml"}},
			Inputs{Infrastructure: "docker", Files: []string{"/n.yaml"}, KubeconfigOut: "/a"},
			"",
		},
		"a template instead of files": {
			files,
			Inputs{Infrastructure: "docker", Flavor: "x"},
			Inputs{Infrastructure: "docker", Flavor: "x", AddonFiles: []string{"/cni.yaml"}},
			"",
		},
		"a provider beside files": {
			files,
			Inputs{Infrastructure: "docker:v1.2.3"},
			Inputs{Infrastructure: "docker:v1.2.3", Files: []string{"/c.yaml"}, AddonFiles: []string{"/cni.yaml"}},
			"",
		},
		"one of the first clusterctl's files": {
			legacy,
			Inputs{MachinesFile: "/n.yaml"},
			Inputs{ClusterFile: "/c.yaml", MachinesFile: "/n.yaml", ProviderComponents: "/p.yaml"},
			"",
		},
		"a machine count beside files": {files, Inputs{WorkerMachineCount: &one}, Inputs{}, "was made from files"},
		"standard input is not kept":   {Inputs{Files: []string{"-"}}, Inputs{KubernetesVersion: "v1.34.4"}, Inputs{}, "standard input"},
		"standard input again":         {Inputs{Files: []string{"-"}}, Inputs{Files: []string{"-"}}, Inputs{Files: []string{"-"}}, ""},
		"neither is enough":            {Inputs{}, Inputs{WorkerMachineCount: &one}, Inputs{}, "needs --infrastructure"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			if err := OpenRecords(state).Save(&Record{Name: "demo", Namespace: "default", Bootstrap: BootstrapRecord{Type: bootstrap.Existing}, Inputs: tc.old}); err != nil {
				t.Fatal(err)
			}
			c := &Create{opts: CreateOptions{Name: "demo", Namespace: "default", Inputs: tc.given}, records: OpenRecords(state)}
			err := c.resolveRecord()
			checkUsage(t, err, tc.err)
			if err != nil {
				return
			}
			if diff := cmp.Diff(tc.want, c.record.Inputs); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVariablesOfAnEarlierRunStayNeeded(t *testing.T) {
	t.Parallel()
	one := int64(1)
	for name, tc := range map[string]struct {
		given Inputs
		want  []string
	}{
		"the same template":    {Inputs{WorkerMachineCount: &one}, []string{"A", "B"}},
		"the same, in full":    {Inputs{Infrastructure: "docker", Flavor: "x"}, []string{"A", "B"}},
		"another template":     {Inputs{Flavor: "y"}, []string{"B"}},
		"files take its place": {Inputs{Files: []string{"/c.yaml"}}, []string{"B"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &Create{
				opts:   CreateOptions{Set: map[string]string{"B": "1"}},
				record: &Record{Name: "demo", Namespace: "default", Inputs: Inputs{Infrastructure: "docker", Flavor: "x"}, Variables: []string{"A"}},
			}
			if err := c.merge(tc.given); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, c.record.Variables); diff != "" {
				t.Error(diff)
			}
		})
	}
}
