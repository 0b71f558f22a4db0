// SPDX-License-Identifier: Apache-2.0

package move

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// TestScopeOfFlags says what names and flags move.
func TestScopeOfFlags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    options
		want plan.Scope
		fail bool
	}{
		"nothing named is everything": {options{}, plan.Scope{All: true}, false},
		"a namespace":                 {options{source: cmdutil.KubeFlags{Namespace: "team-a"}}, plan.Scope{Namespaces: []string{"team-a"}}, false},
		"names, one with a namespace": {options{clusters: []string{"heron", "team-b/egret", "heron"}}, plan.Scope{Clusters: []types.NamespacedName{{Namespace: "ctx", Name: "heron"}, {Namespace: "team-b", Name: "egret"}}}, false},
		"the move under way":          {options{resume: true}, plan.Scope{}, false},
		"no name":                     {options{clusters: []string{"team-b/"}}, plan.Scope{}, true},
		"too many parts":              {options{clusters: []string{"a/b/c"}}, plan.Scope{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.o.scope("ctx")
			if (err != nil) != c.fail {
				t.Fatalf("error %v", err)
			}
			if d := cmp.Diff(c.want, got); !c.fail && d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
