// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// TestTwoAtOnce starts a second move, a rollback and a move the other way round while one runs: all are refused, with who and since when.
func TestTwoAtOnce(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	s := newStage(t, ctx, "twice")
	s.arm(t)
	first := s.options(t, &guillotine{}, "first")
	var refused []error
	first.Sink = whenStarts("copy", func() {
		second := s.options(t, &guillotine{}, "second")
		second.By.User, second.By.Run = "somebody else", "second"
		second.Alive = func(Identity) bool { return true }
		_, err := Run(ctx, second)
		refused = append(refused, err)
		_, err = Rollback(ctx, second)
		refused = append(refused, err)
		second.Scope = plan.Scope{All: true}
		_, err = Run(ctx, second)
		refused = append(refused, err)
		second.Source, second.Target = second.Target, second.Source
		_, err = Run(ctx, second)
		refused = append(refused, err)
	})
	if _, err := Run(ctx, first); err != nil {
		t.Fatal(err)
	}
	if len(refused) != 4 {
		t.Fatalf("%d attempts, want 4", len(refused))
	}
	for i, err := range refused {
		if !isRefused(err) || !strings.Contains(err.Error(), "test@here (process 1)") {
			t.Errorf("attempt %d: %v", i, err)
		}
	}
	s.arrived(t, "first")
}

// TestSameCluster refuses to move a cluster's objects to itself.
func TestSameCluster(t *testing.T) {
	a := connect(t, left)
	_, err := Run(within(t, time.Minute), Options{Source: a, Target: connect(t, left), Scope: plan.Scope{All: true}})
	if !isRefused(err) || !strings.Contains(err.Error(), "the same cluster") {
		t.Errorf("got %v", err)
	}
	if n := a.Requests().Writes(); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// TestScaledUpAgain has somebody start the source's controllers in the middle of a move: it says who, and stops them once more.
func TestScaledUpAgain(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	s := newStage(t, ctx, "scaled")
	s.arm(t)
	o := s.options(t, &guillotine{}, "scaled")
	operator := connect(t, s.at)
	var mu sync.Mutex
	var warnings []string
	once := whenStarts("verify", func() {
		_, err := operator.Patch(ctx, gvkDeployment(), s.namespace, "pond-controller-manager", types.MergePatchType, []byte(`{"spec":{"replicas":2}}`))
		if err != nil {
			t.Error(err)
		}
	})
	o.Sink = event.Func(func(e event.Event) {
		once.Send(e)
		if e.Kind == event.Warn {
			mu.Lock()
			warnings = append(warnings, e.Message)
			mu.Unlock()
		}
	})
	if _, err := Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(warnings, "\n"); !strings.Contains(text, "pond-controller-manager of the source to 2") {
		t.Errorf("warnings: %s", text)
	}
	s.arrived(t, "scaled up")
}

// TestChangedAfterTheCopy has somebody change an object of the source that was copied already: the change isn't lost.
func TestChangedAfterTheCopy(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	s := newStage(t, ctx, "changed")
	s.arm(t)
	o := s.options(t, &guillotine{}, "changed")
	person := connect(t, s.at)
	template := graph.Kind{Group: graph.Bootstrap, Version: graph.Version, Kind: "KubeadmConfigTemplate"}
	gvk := gvkOf(template)
	o.Sink = whenStarts("release", func() {
		if _, err := person.Patch(ctx, gvk, s.namespace, "egret-md", types.MergePatchType, []byte(`{"spec":{"late":"change"},"metadata":{"labels":{"late":"label"}}}`)); err != nil {
			t.Error(err)
		}
	})
	if _, err := Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	got, err := connect(t, s.other).Get(ctx, gvk, s.namespace, "egret-md")
	if err != nil {
		t.Fatal(err)
	}
	if late, _, _ := unstructured.NestedString(got.Object, "spec", "late"); late != "change" || got.GetLabels()["late"] != "label" {
		t.Errorf("the change was lost: %v %v", got.Object["spec"], got.GetLabels())
	}
	if _, err := person.Get(ctx, gvk, s.namespace, "egret-md"); !apierrors.IsNotFound(err) {
		t.Errorf("it is still on the source: %v", err)
	}
	s.disarm(t)
	s.at, s.other = s.other, s.at
}

// TestRequestsPerObject counts the requests of a whole move, both sides, all phases, statuses restored.
func TestRequestsPerObject(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	var objs []*unstructured.Unstructured
	for i := range 40 {
		objs = append(objs, graph.Cluster("counted", fmt.Sprintf("c%d", i), graph.Version)...)
	}
	if err := graph.Load(ctx, left.REST, objs); err != nil {
		t.Fatal(err)
	}
	a, b := connect(t, left), connect(t, right)
	if _, err := Run(ctx, Options{Source: a, Target: b, Scope: plan.Scope{Namespaces: []string{"counted"}}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, b, graph.Version, "counted") })
	total := a.Requests().Total + b.Requests().Total
	if per := float64(total) / float64(len(objs)); per > 3.5 {
		t.Errorf("%.2f requests an object: source %s, target %s", per, a.Requests(), b.Requests())
	}
}

// TestOldVersions moves graphs in the versions that Cluster API has had.
func TestOldVersions(t *testing.T) {
	for _, version := range []string{"v1alpha2", "v1alpha4", "v1beta1"} {
		t.Run(version, func(t *testing.T) {
			a, b := testenv.Start(t), testenv.Start(t)
			ctx := within(t, 2*time.Minute)
			for _, e := range []*testenv.Env{a, b} {
				e.Seed(t, graph.CRDs(version))
			}
			if err := graph.Load(ctx, a.REST, graph.Cluster("old", "heron", version)); err != nil {
				t.Fatal(err)
			}
			src, dst := connect(t, a), connect(t, b)
			before := look(t, src, version, "old")
			if _, err := Run(ctx, Options{Source: src, Target: dst, Scope: plan.Scope{All: true}, AllowProvisioning: true}); err != nil {
				t.Fatal(err)
			}
			sameWorld(t, "on the target", before, look(t, dst, version, "old"))
			sameWorld(t, "left on the source", world{}, look(t, src, version, "old"))
		})
	}
}

// TestInspect tells of a move that was killed, on both sides.
func TestInspect(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, time.Minute)
	s := newStage(t, ctx, "inspected")
	s.arm(t)
	stopped, stop := context.WithCancel(ctx)
	o := s.options(t, &guillotine{}, "inspected")
	o.Sink = whenStarts("verify", stop)
	if _, err := Run(stopped, o); err == nil {
		t.Fatal("it went on")
	}
	for _, c := range []*kube.Client{connect(t, s.at), connect(t, s.other)} {
		st, err := Inspect(ctx, c)
		if err != nil || st == nil || st.Phase != PhaseCopying || !st.CanRollBack || st.Running || st.Objects != 87 {
			data, _ := json.Marshal(st)
			t.Errorf("%s, %v", data, err)
		}
	}
	s.inspectLeases(t)
	if _, err := Rollback(ctx, s.options(t, &guillotine{}, "back")); err != nil {
		t.Fatal(err)
	}
	s.stayed(t, "rolled back")
}

// inspectLeases: a second process went on and was killed; its lease is in force yet.
func (s *stage) inspectLeases(t *testing.T) {
	t.Helper()
	c, ctx := connect(t, s.at), context.Background()
	second := Identity{User: "test", Host: "here", PID: 2, Run: "second"}
	holder, _ := json.Marshal(second)
	if err := c.AcquireLease(ctx, journalNamespace, leaseName, string(holder), time.Minute); err != nil {
		t.Fatal(err)
	}
	dies := func(Identity) bool { return false }
	for name, tc := range map[string]struct {
		host    string
		alive   func(Identity) bool
		running bool
	}{
		"alive here":              {"here", func(i Identity) bool { return i == second }, true},
		"dead here":               {"here", dies, false},
		"on another host":         {"there", dies, true},
		"where nobody can tell":   {"here", nil, true},
		"its host isn't known":    {"", dies, true},
		"another one lives there": {"here", func(i Identity) bool { return i.PID == 1 }, false},
	} {
		st, err := InspectFrom(ctx, c, tc.host, tc.alive)
		if err != nil || st == nil || st.Running != tc.running || st.Latest != second || st.By.PID != 1 {
			data, _ := json.Marshal(st)
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
	if err := c.ReleaseLease(ctx, journalNamespace, leaseName, string(holder)); err != nil {
		t.Fatal(err)
	}
	if st, err := InspectFrom(ctx, c, "here", dies); err != nil || st == nil || st.Running || st.Latest != st.By {
		t.Errorf("without a lease: %+v, %v", st, err)
	}
}
