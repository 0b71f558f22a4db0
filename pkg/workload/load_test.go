// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

const (
	clusterDoc = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron}\n"
	nsDoc      = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: team-b}\n"
	machineDoc = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {name: m0}\nspec: {clusterName: heron}\n"
	farDoc     = "apiVersion: infrastructure.cluster.x-k8s.io/v1\nkind: PondCluster\nmetadata: {name: heron, namespace: far}\n"
	mapDoc     = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: far}\n"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text    string
		opts    LoadOptions
		wantNS  string
		wantErr string
	}{
		"no namespace anywhere":        {clusterDoc, LoadOptions{}, "default", ""},
		"namespace of the context":     {clusterDoc, LoadOptions{DefaultNamespace: "ctx"}, "ctx", ""},
		"namespace of the file":        {nsDoc, LoadOptions{DefaultNamespace: "ctx"}, "team-b", ""},
		"namespace of the flag":        {clusterDoc, LoadOptions{Namespace: "team-a", DefaultNamespace: "ctx"}, "team-a", ""},
		"flag and file agree":          {nsDoc, LoadOptions{Namespace: "team-b"}, "team-b", ""},
		"flag and file differ":         {nsDoc, LoadOptions{Namespace: "team-a"}, "", "team-a was asked for, but Cluster heron (f.yaml:1) is in team-b"},
		"flag wins over a template":    {nsDoc, LoadOptions{Namespace: "team-a", OverrideNamespace: true}, "team-a", ""},
		"name fits":                    {clusterDoc, LoadOptions{Name: "heron"}, "default", ""},
		"name differs":                 {clusterDoc, LoadOptions{Name: "otter"}, "", "otter was asked for, but the one in f.yaml:1 is called heron"},
		"no Cluster":                   {machineDoc, LoadOptions{}, "", "none of the 1 objects is one"},
		"nothing at all":               {"# empty\n", LoadOptions{}, "", "there are no objects at all"},
		"several":                      {clusterDoc + "---\n" + nsDoc, LoadOptions{}, "", "there are 2: heron (f.yaml:1), heron (f.yaml:5)"},
		"object in a foreign ns":       {clusterDoc + "---\n" + farDoc, LoadOptions{}, "", "PondCluster heron (f.yaml:5) is in namespace far, but Cluster heron is in default"},
		"template in a foreign ns":     {clusterDoc + "---\n" + farDoc, LoadOptions{OverrideNamespace: true}, "default", ""},
		"other things may be anywhere": {clusterDoc + "---\n" + mapDoc, LoadOptions{}, "default", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Load(parse(t, "f.yaml", c.text), c.opts)
			if c.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantErr) || fault.CodeOf(err) != fault.Usage {
					t.Fatalf("error %v (code %d), want %q", err, fault.CodeOf(err), c.wantErr)
				}
				return
			}
			if err != nil || s.Key() != (types.NamespacedName{Namespace: c.wantNS, Name: "heron"}) {
				t.Fatalf("set %+v, error %v", s, err)
			}
		})
	}
}

func machine(name, cluster, label string) string {
	return "---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {name: " + name + ", labels: {" + label + "}}\nspec: {clusterName: '" + cluster + "'}\n"
}

func TestLoadLegacy(t *testing.T) {
	t.Parallel()
	cp := `cluster.x-k8s.io/control-plane: "true"`
	md := "---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineDeployment\nmetadata: {name: md}\nspec: {clusterName: heron}\n"
	cases := map[string]struct {
		machines, wantErr string
		order             []string
	}{
		"control plane first":   {machine("w", "heron", "") + md + machine("cp", "heron", cp), "", []string{"heron", "cp", "w", "md"}},
		"no control plane":      {machine("w", "heron", ""), "there is no control plane", nil},
		"of another cluster":    {machine("cp", "heron", cp) + machine("w", "otter", ""), "Machine w (m.yaml:7) belongs to cluster otter, not to heron", nil},
		"of no cluster":         {machine("cp", "", cp), "Machine cp (m.yaml:2) belongs to no cluster: set spec.clusterName: heron", nil},
		"a Cluster among them":  {machine("cp", "heron", cp) + "---\n" + clusterDoc, "Cluster heron (m.yaml:7) belongs into the cluster file", nil},
		"old label names owner": {machine("cp", "", cp+", cluster.x-k8s.io/cluster-name: heron"), "", []string{"heron", "cp"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := LoadLegacy(parse(t, "c.yaml", clusterDoc), parse(t, "m.yaml", c.machines), LoadOptions{})
			if c.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantErr) || fault.CodeOf(err) != fault.Usage {
					t.Fatalf("error %v, want %q", err, c.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.order, names(s.Objects)); d != "" {
				t.Errorf("order (-want +got):\n%s", d)
			}
		})
	}
}

func names(objs []manifest.Object) (out []string) {
	for _, o := range objs {
		out = append(out, o.GetName())
	}
	return out
}

func TestTemplateValues(t *testing.T) {
	t.Parallel()
	n := func(i int64) *int64 { return &i }
	lookup := func(values map[string]string) manifest.Lookup {
		return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	}
	base := TemplateInput{Name: "heron", Namespace: "team-a"}
	with := func(change func(*TemplateInput)) TemplateInput { in := base; change(&in); return in }
	cases := map[string]struct {
		in      TemplateInput
		lookup  manifest.Lookup
		want    map[string]string
		wantErr string
	}{
		"defaults": {base, nil, map[string]string{
			"CLUSTER_NAME": "heron", "NAMESPACE": "team-a", "CONTROL_PLANE_MACHINE_COUNT": "1", "WORKER_MACHINE_COUNT": "0",
		}, ""},
		"all given": {
			TemplateInput{Name: "heron", Namespace: "team-a", KubernetesVersion: "v1.34.1", ControlPlaneMachines: n(3), WorkerMachines: n(5)},
			lookup(map[string]string{"WORKER_MACHINE_COUNT": "9"}),
			map[string]string{
				"CLUSTER_NAME": "heron", "NAMESPACE": "team-a", "KUBERNETES_VERSION": "v1.34.1",
				"CONTROL_PLANE_MACHINE_COUNT": "3", "WORKER_MACHINE_COUNT": "5",
			},
			"",
		},
		"counts of the environment": {base, lookup(map[string]string{"CONTROL_PLANE_MACHINE_COUNT": "3", "WORKER_MACHINE_COUNT": "2"}), map[string]string{
			"CLUSTER_NAME": "heron", "NAMESPACE": "team-a", "CONTROL_PLANE_MACHINE_COUNT": "3", "WORKER_MACHINE_COUNT": "2",
		}, ""},
		"bad version":          {with(func(in *TemplateInput) { in.KubernetesVersion = "latest" }), nil, nil, `"latest"`},
		"short version":        {with(func(in *TemplateInput) { in.KubernetesVersion = "v1.34" }), nil, nil, `"v1.34"`},
		"bad name":             {with(func(in *TemplateInput) { in.Name = "Heron" }), nil, nil, "cluster name"},
		"bad namespace":        {with(func(in *TemplateInput) { in.Namespace = "a.b" }), nil, nil, "namespace"},
		"no control plane":     {with(func(in *TemplateInput) { in.ControlPlaneMachines = n(0) }), nil, nil, "at least 1"},
		"negative workers":     {with(func(in *TemplateInput) { in.WorkerMachines = n(-1) }), nil, nil, "at least 0"},
		"count isn't a number": {base, lookup(map[string]string{"WORKER_MACHINE_COUNT": "many"}), nil, "WORKER_MACHINE_COUNT"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := TemplateValues(c.in, c.lookup)
			if c.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantErr) || fault.CodeOf(err) != fault.Usage {
					t.Fatalf("error %v, want %q", err, c.wantErr)
				}
				return
			}
			if d := cmp.Diff(c.want, got); d != "" || err != nil {
				t.Errorf("error %v, values (-want +got):\n%s", err, d)
			}
		})
	}
}

func TestFirstMachine(t *testing.T) {
	t.Parallel()
	machine := func(name, label, kind string) string {
		return "apiVersion: cluster.x-k8s.io/v1beta2\nkind: " + kind + "\nmetadata: {name: " + name + ", labels: {" + label + "}}\n" +
			"spec: {clusterName: heron, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: PondMachine, name: " + name + "}," +
			" bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: NestConfig, name: shared}}}\n---\n"
	}
	infra := func(name string) string {
		return "apiVersion: infrastructure.cluster.x-k8s.io/v1\nkind: PondMachine\nmetadata: {name: " + name + "}\n---\n"
	}
	shared := "apiVersion: bootstrap.cluster.x-k8s.io/v1\nkind: NestConfig\nmetadata: {name: shared}\n---\n"
	cp := `cluster.x-k8s.io/control-plane: ""`
	cases := map[string]struct {
		machines string
		want     []string
	}{
		"the first of two, and no workers": {
			machine("m0", cp, "Machine") + infra("m0") + machine("m1", cp, "Machine") + infra("m1") + machine("w0", "", "Machine") + infra("w0") + shared,
			[]string{"heron", "m0", "m0", "shared"},
		},
		"what nothing refers to":   {machine("m0", cp, "Machine") + infra("m0") + machine("w0", "", "MachineDeployment") + infra("w0") + infra("spare") + shared, []string{"heron", "m0", "m0", "spare", "shared"}},
		"nothing can wait for one": {machine("m0", cp, "Machine") + infra("m0") + shared, []string{"heron", "m0", "m0", "shared"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := LoadLegacy(parse(t, "c.yaml", clusterDoc), parse(t, "m.yaml", strings.TrimSuffix(c.machines, "---\n")), LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range s.FirstMachine().Objects {
				got = append(got, o.GetName())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("objects (-want +got):\n%s", d)
			}
		})
	}
}
