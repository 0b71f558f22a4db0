// SPDX-License-Identifier: Apache-2.0

package move

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

// TestAskedForAgain: a move that had come to its end and is asked for again succeeds, however its clusters are named. What neither side
// has is an error still.
func TestAskedForAgain(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 3*time.Minute)
	s := newStage(t, ctx, "again")
	s.arm(t)
	if _, err := Run(ctx, s.options(t, &guillotine{}, "first")); err != nil {
		t.Fatal(err)
	}
	named := func(names ...string) plan.Scope {
		var out plan.Scope
		for _, name := range names {
			out.Clusters = append(out.Clusters, types.NamespacedName{Namespace: s.namespace, Name: name})
		}
		return out
	}
	for name, c := range map[string]struct {
		scope plan.Scope
		done  bool
	}{
		"by namespace":          {plan.Scope{Namespaces: []string{s.namespace}}, true},
		"everything":            {plan.Scope{All: true}, true},
		"by name":               {named("heron", "egret"), true},
		"one that nobody has":   {named("heron", "crane"), false},
		"a namespace of nobody": {plan.Scope{Namespaces: []string{"nowhere"}}, false},
	} {
		o := s.options(t, &guillotine{}, name)
		o.Scope = c.scope
		var notes, fails string
		o.Sink = event.Func(func(e event.Event) {
			switch e.Kind {
			case event.Note:
				notes += e.Message
			case event.Fail:
				fails += e.Message
			}
		})
		r, err := Run(ctx, o)
		if c.done && (err != nil || r.ID != "" || fails != "" || !strings.Contains(notes, "the target has")) {
			t.Errorf("%s: %+v, %v; notes %q, failed %q", name, r, err, notes, fails)
		}
		if !c.done && !isRefused(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := s.options(t, &guillotine{}, "dry run")
	before, beforeTarget := o.Source.Requests(), o.Target.Requests()
	if _, err := Preview(ctx, o); !isRefused(err) || !strings.Contains(err.Error(), "the target has") {
		t.Errorf("dry run: %v", err)
	}
	if n := o.Source.Requests().Sub(before).Writes() + o.Target.Requests().Sub(beforeTarget).Writes(); n != 0 {
		t.Errorf("a dry run wrote %d times", n)
	}
	s.arrived(t, "again")
}
