// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	ponds "github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) {
	flag.Parse()
	kube.SetLogger(nil)
	os.Exit(testenv.Main(m, func(e *testenv.Env) { env = e }))
}

func connect(t *testing.T, cfg *rest.Config) *kube.Client {
	t.Helper()
	c, err := kube.New(cfg, kube.Options{QPS: -1, UserAgent: "plan-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// crd defines a kind of the tests; versions are the served ones, the last is stored.
func crd(group, kind, scope, labels string, versions ...string) string {
	plural := strings.ToLower(kind) + "s"
	text := fmt.Sprintf("---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: %s.%s, labels: {%s}}\nspec:\n  group: %s\n  scope: %s\n  names: {kind: %s, listKind: %sList, plural: %s, singular: %s}\n  versions:\n",
		plural, group, labels, group, scope, kind, kind, plural, strings.ToLower(kind))
	for i, v := range versions {
		text += fmt.Sprintf("  - {name: %s, served: true, storage: %v, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n", v, i == len(versions)-1)
	}
	return text
}

func seedKinds(t *testing.T) {
	t.Helper()
	env.Seed(t, ponds.CRDs(ponds.Version), crd("cluster.x-k8s.io", "ClusterClass", "Namespaced", "", "v1beta2")+
		crd("water.example.com", "Pipe", "Namespaced", "", "v1")+
		crd("water.example.com", "Unrelated", "Namespaced", "", "v1")+
		crd("water.example.com", "Spring", "Namespaced", moveLabel+": ''", "v1"))
}

// TestBuildReadsByLists counts requests: one list for each kind, whether there is one cluster or twenty, and no other request.
func TestBuildReadsByLists(t *testing.T) {
	seedKinds(t)
	for _, c := range []struct {
		namespace string
		clusters  int
	}{{"few", 1}, {"many", 20}} {
		for i := range c.clusters {
			if err := ponds.Load(t.Context(), env.REST, ponds.Cluster(c.namespace, fmt.Sprintf("c%d", i), ponds.Version)); err != nil {
				t.Fatal(err)
			}
		}
		env.Seed(t, strings.ReplaceAll(`apiVersion: water.example.com/v1
kind: Pipe
metadata:
  name: pipe
  namespace: NS
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PondCluster, name: c0}]
spec: {secretRef: {name: valve}}
---
apiVersion: v1
kind: Secret
metadata: {name: valve, namespace: NS}
---
apiVersion: water.example.com/v1
kind: Spring
metadata: {name: spring, namespace: NS}
---
apiVersion: water.example.com/v1
kind: Unrelated
metadata: {name: other, namespace: NS}
---
apiVersion: v1
kind: Service
metadata:
  name: front
  namespace: NS
  ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PondCluster, name: c0}]
spec: {ports: [{port: 1}]}
`, "NS", c.namespace))
		cl := connect(t, env.REST)
		p, err := Build(t.Context(), cl, Scope{Namespaces: []string{c.namespace}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, p)
		if want := c.clusters*ponds.ObjectsPerCluster + 3; len(p.Objects) != want {
			t.Errorf("%d objects, want %d:\n%s", len(p.Objects), want, show(p, nil))
		}
		lost := 0
		for _, l := range p.Left {
			if l.Lost && l.Name == "front" {
				lost++
			}
		}
		if lost != 1 {
			t.Errorf("the Service that goes with its owner isn't told: %+v", p.Left)
		}
		kinds, err := ReadKinds(t.Context(), connect(t, env.REST))
		if err != nil {
			t.Fatal(err)
		}
		// the definitions, each kind of them and the built-in ones, the content of Pipes, and what might be lost
		want := 1 + len(kinds) + 1 + len(runningKinds())
		if got := cl.Requests(); got.ByVerb["list"] != want || got.ByVerb["get"] != 0 || got.Total != want+got.ByVerb["discovery"] {
			t.Errorf("%d clusters: %s, want %d lists and discovery", c.clusters, got, want)
		}
	}
}

// TestBuildFollowsIntoOtherNamespaces reads a class and its templates where they are, and says which clusters remain.
func TestBuildFollowsIntoOtherNamespaces(t *testing.T) {
	seedKinds(t)
	env.Seed(t, `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: pond, namespace: classes}
spec: {infrastructure: {templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PondMachineTemplate, name: pond}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondMachineTemplate
metadata:
  name: pond
  namespace: classes
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, name: pond}]
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: reeds}
spec: {topology: {classRef: {name: pond, namespace: classes}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: egret, namespace: elsewhere}
spec: {topology: {classRef: {name: pond, namespace: classes}}}
`)
	p, err := Build(t.Context(), connect(t, env.REST), Scope{Clusters: clusters("reeds/heron")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range p.Objects {
		got = append(got, fmt.Sprintf("%d %s %s", o.Level, o.Mode, o.Key))
	}
	want := "0 copy ClusterClass classes/pond\n1 move Cluster reeds/heron\n1 copy PondMachineTemplate classes/pond"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if s := fmt.Sprint(p.Remaining); !strings.Contains(s, "elsewhere/egret") || strings.Contains(s, "heron") {
		t.Errorf("remaining: %s", s)
	}
}

// TestBuildSaysWhatStandsInTheWay has versions that would have to be converted, and rights that are missing.
func TestBuildSaysWhatStandsInTheWay(t *testing.T) {
	seedKinds(t)
	for _, versions := range [][]string{{"v1alpha1"}, {"v1alpha1", "v1"}} {
		env.Seed(t, crd("old.cluster.x-k8s.io", "Mill", "Namespaced", "", versions...))
	}
	env.Seed(t, `apiVersion: old.cluster.x-k8s.io/v1
kind: Mill
metadata: {name: mill, namespace: mills}
---
apiVersion: v1
kind: Namespace
metadata: {name: narrow}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: plan-narrow}
rules:
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [list]}
- {apiGroups: ["", cluster.x-k8s.io], resources: ["*"], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: plan-narrow}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: plan-narrow}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: narrow}]
`)
	_, err := Build(t.Context(), connect(t, env.REST), Scope{Namespaces: []string{"mills"}}, Options{})
	if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "objects of mills.old.cluster.x-k8s.io may still be stored as v1alpha1") {
		t.Errorf("stored in an old version: %v", err)
	}
	_, err = Build(t.Context(), connect(t, env.User(t, "narrow")), Scope{Namespaces: []string{"narrow"}}, Options{})
	for _, kind := range []string{"PondCluster", "KubeadmConfig", "Mill"} {
		if err == nil || !strings.Contains(err.Error(), "list "+kind+" objects in namespace narrow") {
			t.Errorf("no right to list %s: %v", kind, err)
		}
	}
	if err != nil && strings.Contains(err.Error(), "Pipe") {
		t.Errorf("a kind of another group stops the plan: %v", err)
	}
}
