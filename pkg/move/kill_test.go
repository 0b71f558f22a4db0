// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

var (
	killEvery = flag.Int("kill-every", 131, "kill a move at every Nth of its requests; 1 is all of them")
	killFrom  = flag.Int("kill-from", 0, "the first request to kill at; 0 takes one at random")
)

// TestKilledAtAnyRequest kills a move of three clusters before and after requests of it, and runs it again; in the first half it is also
// rolled back. Whatever the request was: nothing is lost, nothing doubled, nothing stays paused, scaled down or neutralised.
func TestKilledAtAnyRequest(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 6*time.Hour) // all of them take hours
	s := newStage(t, ctx, "killed")
	total := s.requestsOfAMove(t, ctx)
	from := *killFrom
	if from == 0 {
		from = 1 + rand.IntN(*killEvery)
	}
	t.Logf("a move sends %d requests; killing at every %dth from %d (repeat with -kill-every=%d -kill-from=%d)", total, *killEvery, from, *killEvery, from)
	for n := from; n <= total; n += *killEvery {
		for _, after := range []bool{false, true} {
			s.killed(t, ctx, n, after, false)
			s.killed(t, ctx, n, after, true)
			if t.Failed() {
				return
			}
		}
	}
}

// TestKilledOnOldServers does the same with servers whose webhooks can't make an exception: there they are taken out, and put back.
func TestKilledOnOldServers(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 15*time.Minute)
	s := newStage(t, ctx, "killed-old")
	s.old = true
	total := s.requestsOfAMove(t, ctx)
	every := 2 * *killEvery
	from := *killFrom
	if from == 0 {
		from = 1 + rand.IntN(every)
	}
	t.Logf("killing at every %dth of %d requests from %d (repeat with -kill-every=%d -kill-from=%d)", every, total, from, *killEvery, from)
	for n := from; n <= total && !t.Failed(); n += every {
		s.killed(t, ctx, n, true, false)
		s.killed(t, ctx, n, true, true)
	}
}

// stage is a source with controllers and webhooks, and three clusters that go there and back.
type stage struct {
	namespace string
	// at is where the clusters are, other the other side.
	at, other *testenv.Env
	before    world
	// old has the servers know no match conditions.
	old bool
}

func newStage(t *testing.T, ctx context.Context, namespace string) *stage {
	t.Helper()
	s := &stage{namespace: namespace, at: left, other: right}
	var objs []*unstructured.Unstructured
	for _, name := range []string{"heron", "egret", "egret-b"} {
		objs = append(objs, graph.Cluster(namespace, name, graph.Version)...)
	}
	objs[0].Object["spec"].(map[string]any)["paused"] = true // by a person: heron stays paused
	if err := graph.Load(ctx, s.at.REST, objs); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*testenv.Env{left, right} {
		playDeployments(t, e)
	}
	s.before = look(t, connect(t, s.at), graph.Version, namespace)
	t.Cleanup(func() { clear(t, connect(t, s.at), graph.Version, namespace) })
	return s
}

func (s *stage) options(t *testing.T, g *guillotine, run string) Options {
	t.Helper()
	g.old = s.old
	return Options{
		Source: g.client(t, s.at), Target: g.client(t, s.other), Scope: plan.Scope{Namespaces: []string{s.namespace}},
		By: Identity{User: "test", Host: "here", PID: 1, Run: run}, Alive: func(i Identity) bool { return i.Run == run },
		Wait: 20 * time.Second,
	}
}

// requestsOfAMove moves once there and back.
func (s *stage) requestsOfAMove(t *testing.T, ctx context.Context) int {
	t.Helper()
	g := &guillotine{}
	s.arm(t)
	if _, err := Run(ctx, s.options(t, g, "counted")); err != nil {
		t.Fatal(err)
	}
	s.arrived(t, "counted")
	return g.count
}

// killed kills one move at a request, and then goes on or back.
func (s *stage) killed(t *testing.T, ctx context.Context, at int, after, back bool) {
	t.Helper()
	name := fmt.Sprintf("request %d, after=%v, back=%v", at, after, back)
	s.arm(t)
	runCtx, kill := context.WithCancel(ctx)
	g := &guillotine{at: at, after: after, kill: kill}
	_, err := Run(runCtx, s.options(t, g, name))
	kill()
	if err == nil && g.fallen {
		t.Logf("%s: the move didn't need that request", name)
	}
	if err == nil {
		if g.fallen { // it was killed while it gave its leases back: they end by themselves
			s.endLeases(t)
		}
		s.arrived(t, name)
		return
	}
	again := s.options(t, &guillotine{}, name+", again")
	if back {
		_, err = Rollback(ctx, again)
		if err == nil {
			s.stayed(t, name)
			return
		}
		if !isRefused(err) { // too late, or too early: nothing had begun
			t.Fatalf("%s: roll back: %v", name, err)
		}
	}
	r, err := Run(ctx, again)
	if err != nil {
		t.Fatalf("%s: again: %v", name, err)
	}
	if r.ID == "" { // it was killed after its very last write: nothing is left to move, and the leases end by themselves
		s.endLeases(t)
	}
	s.arrived(t, name)
}

func (s *stage) endLeases(t *testing.T) {
	t.Helper()
	for _, e := range []*testenv.Env{s.at, s.other} {
		deleteAt(t, connect(t, e), kube.Target{GVK: gvkLease(), Namespace: journalNamespace, Name: leaseName})
	}
}

// arrived wants everything on the other side, and makes that the next source.
func (s *stage) arrived(t *testing.T, name string) {
	t.Helper()
	sameWorld(t, name+": on the target", s.before, look(t, connect(t, s.other), graph.Version, s.namespace))
	sameWorld(t, name+": left on the source", world{}, look(t, connect(t, s.at), graph.Version, s.namespace))
	s.clean(t, name, 0)
	s.at, s.other = s.other, s.at
}

// stayed wants everything where it was.
func (s *stage) stayed(t *testing.T, name string) {
	t.Helper()
	sameWorld(t, name+": on the source", s.before, look(t, connect(t, s.at), graph.Version, s.namespace))
	sameWorld(t, name+": left on the target", world{}, look(t, connect(t, s.other), graph.Version, s.namespace))
	s.clean(t, name, 3)
}

// clean wants no trace of the move on either side.
func (s *stage) clean(t *testing.T, name string, replicas int64) {
	t.Helper()
	ctx := context.Background()
	for _, e := range []*testenv.Env{s.at, s.other} {
		c := connect(t, e)
		maps, err := c.List(ctx, gvkConfigMap(), kube.ListOptions{Namespace: journalNamespace, LabelSelector: moveLabel})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range maps {
			t.Errorf("%s: ConfigMap %s is left", name, m.GetName())
		}
		if _, err := c.Get(ctx, gvkLease(), journalNamespace, leaseName); !apierrors.IsNotFound(err) {
			t.Errorf("%s: a lease is left (%v)", name, err)
		}
	}
	c := connect(t, s.at)
	d, err := c.Get(ctx, gvkDeployment(), s.namespace, "pond-controller-manager")
	if err != nil {
		t.Fatal(err)
	}
	if got := kube.Replicas(d); got != replicas && got != 3 {
		t.Errorf("%s: the controller has %d replicas", name, got)
	}
	hook, err := c.Get(ctx, gvkWebhooks("ValidatingWebhookConfiguration"), "", "pond")
	if err != nil {
		t.Fatal(err)
	}
	if len(hooksOf(hook)) == 0 {
		t.Errorf("%s: the webhook was taken out and not put back", name)
	}
	for _, h := range hooksOf(hook) {
		if h["matchConditions"] != nil {
			t.Errorf("%s: the webhook still has an exception: %v", name, h["matchConditions"])
		}
	}
	s.disarm(t)
}

func isRefused(err error) bool { return exitCode(err) == 4 }

func deleteAt(t *testing.T, c *kube.Client, target kube.Target) {
	t.Helper()
	if err := c.SendDelete(context.Background(), target, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}
