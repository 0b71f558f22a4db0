// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProviders plans graphs in the shapes that providers make. The golden files are read before they are committed: what is in them is
// what a move does.
func TestProviders(t *testing.T) {
	team := Scope{Namespaces: []string{"team"}}
	for _, c := range []struct {
		name, world string
		scope       Scope
	}{
		{"aws-namespace", "aws", team},
		{"aws-one-of-two", "aws", Scope{Clusters: clusters("team/heron")}},
		{"aws-all", "aws", Scope{All: true}},
		{"azure-namespace", "azure", team},
		{"azure-one-of-two", "azure", Scope{Clusters: clusters("team/heron")}},
		{"vsphere-namespace", "vsphere", team},
		{"vsphere-one-of-two", "vsphere", Scope{Clusters: clusters("team/heron")}},
		{"metal3-namespace", "metal3", team},
		{"metal3-one-of-two", "metal3", Scope{Clusters: clusters("team/heron")}},
		{"openstack-namespace", "openstack", team},
		{"class-other-namespace", "class", team},
		{"class-its-namespace", "class", Scope{Namespaces: []string{"classes"}}},
		{"class-both-namespaces", "class", Scope{Namespaces: []string{"team", "classes"}}},
		{"class-one-of-two", "class", Scope{Clusters: clusters("team/heron")}},
		{"resourceset-one-of-two", "resourceset", Scope{Clusters: clusters("team/heron")}},
		{"resourceset-namespace", "resourceset", team},
		{"v1alpha2-namespace", "v1alpha2", team},
		{"v1alpha3-one-of-two", "v1alpha3", Scope{Clusters: clusters("team/heron")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := readWorld(t, fixture(t, c.world+".yaml"))
			got := show(FromObjects(w.objs, w.kinds, c.scope))
			plannedAs(t, c.name, got)
			for range 3 { // the order in which objects come changes nothing
				w := readWorld(t, fixture(t, c.world+".yaml"))
				rand.Shuffle(len(w.objs), func(i, j int) { w.objs[i], w.objs[j] = w.objs[j], w.objs[i] })
				if d := cmp.Diff(got, show(FromObjects(w.objs, w.kinds, c.scope))); d != "" {
					t.Errorf("in another order (-want +got):\n%s", d)
				}
			}
		})
	}
}
