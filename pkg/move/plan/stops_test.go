// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"
)

// pond has the kinds of the worlds of these tests.
const pond = `cluster.x-k8s.io/v1beta2 Cluster
cluster.x-k8s.io/v1beta2 Machine
cluster.x-k8s.io/v1beta2 MachineSet
infrastructure.cluster.x-k8s.io/v1beta2 PondCluster
infrastructure.cluster.x-k8s.io/v1beta2 PondPart
infrastructure.cluster.x-k8s.io/v1beta2 PondMachineTemplate
example.com/v1 Parent
`

const heron = `---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: heron, namespace: team}
spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: PondCluster, name: heron}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondCluster
metadata: {name: heron, namespace: team}
owners: [Cluster/heron]
---
apiVersion: v1
kind: Secret
metadata: {name: heron-extra, namespace: team, labels: {pond: deep}}
`

const orphan = `---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: lost
  namespace: team
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: gone, uid: x}]
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: lost-too
  namespace: team
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: gone, uid: x}]
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondPart
metadata:
  name: driven
  namespace: team
  ownerReferences: [{apiVersion: argoproj.io/v1alpha1, kind: Application, name: ponds, uid: y}]
---
apiVersion: example.com/v1
kind: Parent
metadata: {name: top, namespace: team}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondPart
metadata: {name: child, namespace: team}
owners: [Parent/top]
`

const circle = `---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondPart
metadata: {name: a, namespace: team}
owners: [PondCluster/heron, PondPart/c]
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondPart
metadata: {name: b, namespace: team}
owners: [PondPart/a]
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondPart
metadata: {name: c, namespace: team}
owners: [PondPart/b]
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondPart
metadata: {name: after, namespace: team}
owners: [PondPart/b, PondPart/after]
`

// alike are clusters whose names begin alike.
const alike = `---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: a, namespace: team}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: a-b, namespace: team}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: a-user, namespace: team}
---
apiVersion: v1
kind: Secret
metadata: {name: a-kubeconfig, namespace: team}
---
apiVersion: v1
kind: Secret
metadata: {name: a-ca, namespace: team}
---
apiVersion: v1
kind: Secret
metadata: {name: a-b-kubeconfig, namespace: team}
---
apiVersion: v1
kind: Secret
metadata: {name: a-b-ca, namespace: team}
---
apiVersion: v1
kind: Secret
metadata: {name: a-user-kubeconfig, namespace: team}
---
apiVersion: v1
kind: Secret
metadata: {name: a-etcd, namespace: team, labels: {cluster.x-k8s.io/cluster-name: a-b}}
type: cluster.x-k8s.io/secret
`

// TestSituations has what is unusual, and what stops a plan, with the words that people get.
func TestSituations(t *testing.T) {
	team := Scope{Namespaces: []string{"team"}}
	with := func(change func(*Scope)) Scope {
		s := team
		change(&s)
		return s
	}
	for _, c := range []struct {
		name, objs string
		scope      Scope
	}{
		{"nothing named", heron, Scope{}},
		{"no such cluster, there is one elsewhere", heron, Scope{Clusters: clusters("other/heron")}},
		{"no such cluster, there are others there", heron, Scope{Clusters: clusters("team/otter")}},
		{"empty namespace", heron, Scope{Namespaces: []string{"nowhere"}}},
		{"one namespace is empty", heron, Scope{Namespaces: []string{"nowhere", "team"}}},
		{"no cluster at all", "", Scope{All: true}},
		{"owners that can't be moved", heron + orphan, team},
		{"owners that can't be moved, allowed", heron + orphan, with(func(s *Scope) { s.AllowOrphans = []string{"Machine/team/lost", "machines/lost-too", "PondPart"} })},
		{"owner of another group included", heron + orphan, with(func(s *Scope) {
			s.AllowOrphans, s.Include = []string{"Machine", "PondPart/driven"}, []string{"Parent/top"}
		})},
		{"owner left out", heron, with(func(s *Scope) { s.Exclude = []string{"Cluster/heron"} })},
		{"reference left out", heron, with(func(s *Scope) { s.Exclude, s.AllowOrphans = []string{"PondCluster/team/heron"}, nil })},
		{"included by name, excluded in vain", heron, with(func(s *Scope) { s.Include, s.Exclude = []string{"secret/heron-extra"}, []string{"cm/none"} })},
		{"included by label", heron, with(func(s *Scope) { s.Include = []string{"pond=deep"} })},
		{"included in vain", heron, with(func(s *Scope) { s.Include = []string{"secret/none"} })},
		{"malformed flags", heron, with(func(s *Scope) {
			s.Include, s.Exclude, s.AllowOrphans = []string{"PondClutser/heron", "Deployment/x"}, []string{"a/b/c/d", "Secret/"}, []string{"a in b"}
		})},
		{"circle", heron + circle, team},
		{"names that begin alike: a", alike, Scope{Clusters: clusters("team/a")}},
		{"names that begin alike: a-b", alike, Scope{Clusters: clusters("team/a-b")}},
		{"names that begin alike: a-user", alike, Scope{Clusters: clusters("team/a-user")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := readWorld(t, pond+c.objs)
			p, err := FromObjects(w.objs, w.kinds, c.scope)
			if err == nil {
				wellFormed(t, p)
			}
			plannedAs(t, strings.NewReplacer(" ", "-", ",", "", ":", "").Replace(c.name), show(p, err))
		})
	}
}

// wellFormed checks what every plan has to fulfil.
func wellFormed(t *testing.T, p *Plan) {
	t.Helper()
	seen := map[Key]bool{}
	for i, o := range p.Objects {
		if seen[o.Key] {
			t.Errorf("%s is twice in the plan", o.Key)
		}
		seen[o.Key] = true
		if i > 0 && o.Level < p.Objects[i-1].Level {
			t.Errorf("%s comes after a higher level", o.Key)
		}
		refs := o.Source.GetOwnerReferences()
		if len(o.Owners) != len(refs) {
			t.Fatalf("%s: %d owners for %d references", o.Key, len(o.Owners), len(refs))
		}
		late, outside := map[int]bool{}, 0
		for _, l := range o.Late {
			late[l] = true
		}
		for at, owner := range o.Owners {
			if owner < 0 {
				outside++
				continue
			}
			own := p.Objects[owner]
			if own.Name != refs[at].Name || own.Kind != refs[at].Kind {
				t.Errorf("%s: owner %d is %s, want %s %s", o.Key, at, own.Key, refs[at].Kind, refs[at].Name)
			}
			if late[at] != (own.Level >= o.Level) {
				t.Errorf("%s on level %d: owner %s on level %d, late: %v", o.Key, o.Level, own.Key, own.Level, late[at])
			}
		}
		if outside != len(o.Outside) {
			t.Errorf("%s: %d owners aren't in the plan, %d are told", o.Key, outside, len(o.Outside))
		}
	}
}
