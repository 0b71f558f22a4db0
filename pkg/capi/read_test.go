// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// load returns the objects of a fixture, by kind/name.
func load(t *testing.T, version string) map[string]*unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", version+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*unstructured.Unstructured{}
	for _, doc := range bytes.Split(data, []byte("\n---\n")) {
		u := &unstructured.Unstructured{}
		data, err := yaml.YAMLToJSON(doc)
		if err == nil {
			err = u.UnmarshalJSON(data)
		}
		if err != nil {
			t.Fatal(err)
		}
		out[u.GetKind()+"/"+u.GetName()] = u
	}
	return out
}

func TestReadCluster(t *testing.T) {
	t.Parallel()
	infra := func(version string) *Ref {
		return &Ref{Field: "spec.infrastructureRef", Group: GroupInfrastructure, Version: version, Kind: "PondCluster", Namespace: "team-a", Name: "heron"}
	}
	cp := func(version string) *Ref {
		return &Ref{Field: "spec.controlPlaneRef", Group: GroupControlPlane, Version: version, Kind: "KubeadmControlPlane", Namespace: "team-a", Name: "heron-cp"}
	}
	for version, want := range map[string]ClusterState{
		"v1alpha2": {
			UID: "u-1", Created: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Phase: "provisioned", InfrastructureReady: true,
			ControlPlaneInitialized: true, Available: true, InfrastructureRef: infra("v1alpha2"), Endpoint: "10.0.0.1:6443",
		},
		"v1alpha3": {
			Phase: "Provisioning", Paused: true, InfrastructureReady: true, ControlPlaneRef: cp("v1alpha3"),
			InfrastructureRef: infra("v1alpha3"), Endpoint: "heron.example.org:443",
		},
		"v1alpha4": {
			Phase: "Provisioned", Paused: true, InfrastructureReady: true, ControlPlaneInitialized: true, Available: true,
			ClassName: "waterfowl", ClassNamespace: "team-a", Version: "v1.22.0", Endpoint: "[fd00::1]:6443",
		},
		"v1beta1": {
			Phase: "Failed", HasAvailable: true, ClassName: "waterfowl", ClassNamespace: "classes", Version: "v1.30.1",
			ControlPlaneRef: cp("v1beta1"), InfrastructureRef: infra("v1"), Endpoint: "10.0.0.1:6443",
			ControlPlane:  Replicas{Desired: 3, HasDesired: true, Current: 1},
			FailureReason: "InvalidConfiguration", FailureMessage: "no such pond",
		},
		"v1beta2": {
			Phase: "Deleting", Deleting: true, InfrastructureReady: true, ControlPlaneInitialized: true, HasAvailable: true,
			ClassName: "waterfowl", ClassNamespace: "team-a", Version: "v1.34.1", ControlPlaneRef: cp(""), InfrastructureRef: infra(""),
			Endpoint: "10.0.0.1:6443", Finalizers: []string{ClusterFinalizer},
			ControlPlane: Replicas{Desired: 1, HasDesired: true, Current: 1, Ready: 1, Available: 1, UpToDate: 1},
			Workers:      Replicas{Desired: 2, HasDesired: true, Current: 1, Ready: 1, Available: 1, UpToDate: 1},
		},
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			want.Name, want.Namespace, want.APIVersion = "heron", "team-a", "cluster.x-k8s.io/"+version
			got := ReadCluster(load(t, version)["Cluster/heron"])
			if d := cmp.Diff(want, got, cmpopts.IgnoreFields(ClusterState{}, "Conditions")); d != "" {
				t.Errorf("ReadCluster (-want +got):\n%s", d)
			}
		})
	}
}

func TestReadMachine(t *testing.T) {
	t.Parallel()
	old := load(t, "v1alpha2")
	cases := map[string]struct {
		from *unstructured.Unstructured
		want MachineState
	}{
		"v1alpha2 control plane": {old["Machine/heron-cp"], MachineState{
			Name: "heron-cp", Phase: "running", NodeName: "heron-cp", Version: "v1.15.3", ControlPlane: true,
			BootstrapReady: true, InfrastructureReady: true, Ready: true,
			BootstrapRef:      &Ref{Field: "spec.bootstrap.configRef", Group: GroupBootstrap, Version: "v1alpha2", Kind: "ReedConfig", Namespace: "team-a", Name: "heron-cp"},
			InfrastructureRef: &Ref{Field: "spec.infrastructureRef", Group: GroupInfrastructure, Version: "v1alpha2", Kind: "PondMachine", Namespace: "team-a", Name: "heron-cp"},
		}},
		"v1alpha2 failed": {old["Machine/heron-m0"], MachineState{Name: "heron-m0", Phase: "failed", Failed: true, Message: "out of water"}},
		"v1beta2 deleting": {load(t, "v1beta2")["Machine/heron-m0"], MachineState{
			Name: "heron-m0", Phase: "Deleting", NodeName: "heron-m0", ProviderID: "pond://heron-m0", BootstrapReady: true,
			InfrastructureReady: true, Deleting: true, DeletingSince: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC),
			Message: "* Deleting: draining", Deletion: "DrainingNode: 2 Pods left", Finalizers: []string{"machine.cluster.x-k8s.io"},
			BootstrapRef:      &Ref{Field: "spec.bootstrap.configRef", Group: GroupBootstrap, Kind: "KubeadmConfig", Namespace: "team-a", Name: "heron-m0"},
			InfrastructureRef: &Ref{Field: "spec.infrastructureRef", Group: GroupInfrastructure, Kind: "PondMachine", Namespace: "team-a", Name: "heron-m0"},
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want.ClusterName, c.want.Namespace = "heron", "team-a"
			if d := cmp.Diff(c.want, ReadMachine(c.from), cmpopts.IgnoreFields(MachineState{}, "Conditions")); d != "" {
				t.Errorf("ReadMachine (-want +got):\n%s", d)
			}
		})
	}
}

func TestReadControlPlaneAndPool(t *testing.T) {
	t.Parallel()
	ignore := cmpopts.IgnoreFields(GroupState{}, "Conditions", "Namespace", "ClusterName")
	cases := map[string]struct{ got, want GroupState }{
		"v1beta1 control plane": {
			ReadControlPlane(load(t, "v1beta1")["KubeadmControlPlane/heron-cp"]),
			GroupState{
				Kind: "KubeadmControlPlane", Name: "heron-cp", Version: "v1.30.1", Initialized: true, Ready: true,
				Replicas: Replicas{Desired: 3, HasDesired: true, Current: 3, Ready: 2, UpToDate: 3},
			},
		},
		"v1beta2 control plane": {
			ReadControlPlane(load(t, "v1beta2")["KubeadmControlPlane/heron-cp"]),
			GroupState{
				Kind: "KubeadmControlPlane", Name: "heron-cp", Version: "v1.34.1", Initialized: true, Ready: true,
				Replicas: Replicas{Desired: 1, HasDesired: true, Current: 1, Ready: 1, UpToDate: 1},
			},
		},
		"v1beta2 pool": {
			ReadGroup(load(t, "v1beta2")["MachinePool/heron-mp"]),
			GroupState{
				Kind: "MachinePool", Name: "heron-mp", Version: "v1.34.1", Phase: "Running", NodeNames: []string{"n1", "n2"},
				Replicas: Replicas{Desired: 2, HasDesired: true, Current: 2, Ready: 1},
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, c.got, ignore); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if c.got.ClusterName != "heron" {
				t.Errorf("cluster name %q", c.got.ClusterName)
			}
		})
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	shape := func(cs []Condition) (out []string) {
		for _, c := range cs {
			s := c.Type + "=" + c.Status
			if c.Legacy {
				s += " legacy"
			}
			if c.Stale {
				s += " stale"
			}
			if c.Blocks() {
				s += " blocks"
			}
			out = append(out, s)
		}
		return out
	}
	for version, want := range map[string][]string{
		"v1alpha2": nil,
		"v1alpha3": {"Ready=False legacy blocks", "InfrastructureReady=True legacy"},
		"v1beta1":  {"Available=False blocks", "Ready=False legacy blocks"},
		"v1beta2":  {"Available=True stale", "Deleting=True blocks", "Ready=True legacy"},
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(want, shape(Conditions(load(t, version)["Cluster/heron"]))); d != "" {
				t.Errorf("Conditions (-want +got):\n%s", d)
			}
		})
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	lines := func(u *unstructured.Unstructured) (out []string) {
		for _, r := range Refs(u) {
			out = append(out, r.Field+" → "+r.Group+"/"+r.Version+" "+r.String())
		}
		return out
	}
	newest := load(t, "v1beta2")
	cases := map[string]struct {
		from *unstructured.Unstructured
		want []string
	}{
		"v1beta1 cluster": {load(t, "v1beta1")["Cluster/heron"], []string{
			"spec.controlPlaneRef → controlplane.cluster.x-k8s.io/v1beta1 KubeadmControlPlane team-a/heron-cp",
			"spec.infrastructureRef → infrastructure.cluster.x-k8s.io/v1 PondCluster team-a/heron",
			"spec.topology → cluster.x-k8s.io/ ClusterClass classes/waterfowl",
		}},
		"v1beta2 cluster": {newest["Cluster/heron"], []string{
			"spec.controlPlaneRef → controlplane.cluster.x-k8s.io/ KubeadmControlPlane team-a/heron-cp",
			"spec.infrastructureRef → infrastructure.cluster.x-k8s.io/ PondCluster team-a/heron",
			"spec.topology → cluster.x-k8s.io/ ClusterClass team-a/waterfowl",
		}},
		"v1beta2 machine": {newest["Machine/heron-m0"], []string{
			"spec.bootstrap.configRef → bootstrap.cluster.x-k8s.io/ KubeadmConfig team-a/heron-m0",
			"spec.infrastructureRef → infrastructure.cluster.x-k8s.io/ PondMachine team-a/heron-m0",
		}},
		"v1beta2 control plane": {newest["KubeadmControlPlane/heron-cp"], []string{
			"spec.machineTemplate.spec.infrastructureRef → infrastructure.cluster.x-k8s.io/ PondMachineTemplate team-a/heron-cp",
		}},
		"no spec": {&unstructured.Unstructured{Object: map[string]any{"kind": "Cluster"}}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, lines(c.from)); d != "" {
				t.Errorf("Refs (-want +got):\n%s", d)
			}
		})
	}
}

func TestHowToUnpause(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v1alpha3": `kubectl patch cluster.cluster.x-k8s.io heron -n team-a --type merge -p '{"spec":{"paused":false}}'`,
		"v1alpha4": "kubectl annotate cluster.cluster.x-k8s.io heron -n team-a cluster.x-k8s.io/paused-",
		"v1beta2":  "",
	} {
		if got := HowToUnpause(load(t, version)["Cluster/heron"]); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// A schema-less CRD may hold anything: readers must survive it.
func TestReadersSurviveOddTypes(t *testing.T) {
	t.Parallel()
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
		"spec":   map[string]any{"paused": "yes", "topology": "none", "controlPlaneEndpoint": []any{"x"}, "infrastructureRef": "pond"},
		"status": map[string]any{"conditions": []any{"x", map[string]any{"type": int64(1)}}, "initialization": int64(3), "apiEndpoints": []any{"x"}},
	}}
	if s := ReadCluster(u); s.Paused || s.InfrastructureRef != nil || s.Endpoint != "" {
		t.Errorf("ReadCluster made something of nothing: %+v", s)
	}
	ReadMachine(u)
	ReadControlPlane(u)
	Refs(u)
}
