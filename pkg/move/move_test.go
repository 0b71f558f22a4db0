// SPDX-License-Identifier: Apache-2.0

package move

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

// TestThereAndBack moves clusters to another control plane and back: each time everything is there as it was, and nothing where it was.
func TestThereAndBack(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	var objs []*unstructured.Unstructured
	for _, name := range []string{"heron", "egret", "egret-b"} {
		objs = append(objs, graph.Cluster("there", name, graph.Version)...)
	}
	if err := graph.Load(ctx, left.REST, objs); err != nil {
		t.Fatal(err)
	}
	a, b := connect(t, left), connect(t, right)
	before := look(t, a, graph.Version, "there")
	opts := Options{Source: a, Target: b, Scope: plan.Scope{Namespaces: []string{"there"}}, StateDir: t.TempDir(), Sink: telling(t)}
	r, err := Run(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d objects, %s; source %s, target %s", r.Objects, r.Took, r.Requests.Source, r.Requests.Target)
	sameWorld(t, "on the target", before, look(t, b, graph.Version, "there"))
	sameWorld(t, "left on the source", world{}, look(t, a, graph.Version, "there"))
	opts.Source, opts.Target = b, a
	if _, err := Run(ctx, opts); err != nil {
		t.Fatal(err)
	}
	sameWorld(t, "back again", before, look(t, a, graph.Version, "there"))
	sameWorld(t, "left on the target", world{}, look(t, b, graph.Version, "there"))
	clear(t, a, graph.Version, "there")
}
