// SPDX-License-Identifier: Apache-2.0

package move

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

// TestDiscard moves out of a cluster that is deleted as a whole afterwards: nothing is deleted there, and everything there stays paused
// and known as moved, so that neither the same move again nor another one takes it for alive.
func TestDiscard(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	source, target := connect(t, left), connect(t, right)
	var objs []*unstructured.Unstructured
	for _, name := range []string{"stork", "crane"} {
		objs = append(objs, graph.Cluster("out", name, graph.Version)...)
	}
	if err := graph.Load(ctx, left.REST, objs); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range []*kube.Client{source, target} {
			clear(t, c, graph.Version, "out")
			if err := deleteJournal(ctx, c); err != nil {
				t.Error(err)
			}
		}
	})
	before := look(t, source, graph.Version, "out")
	opts := Options{Source: source, Target: target, Scope: plan.Scope{Namespaces: []string{"out"}}, Discard: true, StateDir: t.TempDir(), Sink: telling(t)}
	r, err := Run(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Requests.Source.ByVerb["delete"]; n > 3 { // the inventory and the like
		t.Errorf("%d objects were deleted on the source", n)
	}
	sameWorld(t, "on the target", before, look(t, target, graph.Version, "out"))
	for name, text := range look(t, source, graph.Version, "out") {
		if strings.HasPrefix(name, "Cluster ") && !strings.Contains(text, `"paused": true`) {
			t.Errorf("%s isn't paused on the source:\n%s", name, text)
		}
	}

	again, err := Run(ctx, opts)
	if err != nil {
		t.Fatal("the same move again:", err)
	}
	if again.ID != r.ID || again.Requests.Target.Writes() != 0 {
		t.Errorf("the same move again wrote: %+v", again)
	}
	if _, err := Rollback(ctx, opts); fault.CodeOf(err) != fault.Refused {
		t.Errorf("rolled back: %v", err)
	}
	opts.Source, opts.Target = target, source
	if _, err := Run(ctx, opts); fault.CodeOf(err) != fault.Refused {
		t.Errorf("moved into what is to be deleted: %v", err)
	}
	sameWorld(t, "still on the target", before, look(t, target, graph.Version, "out"))
}
