// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

// backedUp is a namespace with one cluster, and a backup of it.
func backedUp(t *testing.T, ctx context.Context, ns string) (dir string, before world) {
	t.Helper()
	withKinds(t, graph.Version)
	a := connect(t, left)
	if err := graph.Load(ctx, left.REST, graph.Cluster(ns, "heron", graph.Version)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, a, graph.Version, ns) })
	dir = filepath.Join(t.TempDir(), "backup")
	if _, err := Backup(ctx, BackupOptions{Source: a, Scope: plan.Scope{Namespaces: []string{ns}}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, connect(t, right), graph.Version, ns) })
	return dir, look(t, a, graph.Version, ns)
}

func gvkNamed(kind string) schema.GroupVersionKind {
	for _, k := range graph.Kinds(graph.Version) {
		if k.Kind == kind {
			return gvkOf(k)
		}
	}
	return schema.GroupVersionKind{Version: "v1", Kind: kind}
}

// noJournal wants no trace of a restore.
func noJournal(t *testing.T, c *kube.Client) {
	t.Helper()
	if j, err := readJournal(context.Background(), c); j != nil || err != nil {
		t.Errorf("a journal is left: %+v, %v", j, err)
	}
}

// TestRestoreKilled kills a restore at some of its requests, and runs it again or rolls it back.
func TestRestoreKilled(t *testing.T) {
	ctx := within(t, 5*time.Minute)
	dir, before := backedUp(t, ctx, "again")
	b := connect(t, right)
	alive := func(Identity) bool { return false }
	back, undone := false, 0
	for at := 3; ; at += 7 {
		g := &guillotine{at: at, after: at%2 == 0}
		_, err := Restore(ctx, RestoreOptions{Target: g.client(t, right), Dir: dir, Alive: alive})
		if err != nil {
			for name, text := range look(t, b, graph.Version, "again") {
				if strings.HasPrefix(name, "Cluster ") && !strings.Contains(text, `"paused": true`) && strings.Contains(err.Error(), "copy") {
					t.Errorf("killed at %d: %s isn't paused", at, name)
				}
			}
			if back = !back; back {
				r, err := RollbackRestore(ctx, RestoreOptions{Target: b, Dir: dir, Alive: alive})
				if err == nil && r.RolledBack {
					sameWorld(t, "rolled back", world{}, look(t, b, graph.Version, "again"))
					noJournal(t, b)
					undone++
				} else if exitCode(err) != 4 { // nothing begun yet, or too late
					t.Fatalf("killed at %d: roll back: %v", at, err)
				}
			}
			if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Alive: alive}); err != nil {
				t.Fatalf("killed at %d: again: %v", at, err)
			}
		}
		sameWorld(t, "restored", before, look(t, b, graph.Version, "again"))
		noJournal(t, b)
		clear(t, b, graph.Version, "again")
		if !g.fallen {
			break
		}
	}
	if undone == 0 {
		t.Error("no restore was rolled back")
	}
}

// TestRestoreOfWhatIsMissing: a cluster runs on, and some of its objects were lost. What is there stays as it is and goes on; what
// comes is paused until everything is there.
func TestRestoreOfWhatIsMissing(t *testing.T) {
	ctx := within(t, time.Minute)
	dir, before := backedUp(t, ctx, "lost")
	b := connect(t, right)
	if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"MachineSet heron-md-x7k2p", "Machine heron-md-0", "PondMachine heron-md-0", "Secret heron-ca"} {
		kind, name, _ := strings.Cut(k, " ")
		target := kube.Target{GVK: gvkNamed(kind), Namespace: "lost", Name: name}
		if kind != "Secret" && kind != "MachineSet" {
			if _, err := b.SendPatch(ctx, target, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)); err != nil {
				t.Fatal(err)
			}
		}
		deleteAt(t, b, target)
	}
	// Those of the MachineSet's Machines that are left have an owner now that is gone: they are in the way.
	_, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir})
	if exitCode(err) != 4 || !strings.Contains(err.Error(), "Machine lost/heron-md-1 is on the target already, and differs from the files at metadata.ownerReferences") {
		t.Fatalf("got %v", err)
	}
	noJournal(t, b)
	for _, kind := range []string{"Machine", "PondMachine"} {
		target := kube.Target{GVK: gvkNamed(kind), Namespace: "lost", Name: "heron-md-1"}
		if _, err := b.SendPatch(ctx, target, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)); err != nil {
			t.Fatal(err)
		}
		deleteAt(t, b, target)
	}
	for _, name := range []string{"heron-md-0", "heron-md-1"} {
		deleteAt(t, b, kube.Target{GVK: gvkNamed("KubeadmConfig"), Namespace: "lost", Name: name})
	}
	cluster, err := b.Get(ctx, gvkNamed("Cluster"), "lost", "heron")
	if err != nil {
		t.Fatal(err)
	}
	checked := false
	r, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Sink: event.Func(func(e event.Event) {
		if e.Kind != event.Start || e.Step != "resume" {
			return
		}
		checked = true
		for _, kind := range []string{"MachineSet", "Machine", "PondMachine", "KubeadmConfig"} {
			list, err := b.List(ctx, gvkNamed(kind), kube.ListOptions{Namespace: "lost"})
			if err != nil {
				t.Error(err)
			}
			for _, u := range list {
				if came := !strings.Contains(u.GetName(), "-cp-"); came != capi.Paused(u) {
					t.Errorf("%s %s is paused: %v", kind, u.GetName(), capi.Paused(u))
				}
			}
		}
	})})
	if err != nil || !checked || r.AlreadyThere != 29-8 {
		t.Fatalf("%v, %v, %+v", err, checked, r)
	}
	sameWorld(t, "restored", before, look(t, b, graph.Version, "lost"))
	if again, err := b.Get(ctx, gvkNamed("Cluster"), "lost", "heron"); err != nil || again.GetResourceVersion() != cluster.GetResourceVersion() {
		t.Errorf("the Cluster that runs was written to (%v)", err)
	}
}

// TestRestoreRefused: what is in the way is named, all of it, and nothing is written.
func TestRestoreRefused(t *testing.T) {
	ctx := within(t, time.Minute)
	dir, _ := backedUp(t, ctx, "refused")
	b := connect(t, right)
	var there []*unstructured.Unstructured
	for _, u := range graph.Cluster("refused", "heron", graph.Version)[:2] {
		_ = unstructured.SetNestedField(u.Object, "another", "spec", "hue")
		_ = unstructured.SetNestedField(u.Object, int64(1), "spec", "depth")
		there = append(there, u)
	}
	if err := graph.Load(ctx, right.REST, there); err != nil {
		t.Fatal(err)
	}
	before := b.Requests()
	p, err := PreviewRestore(ctx, RestoreOptions{Target: b, Dir: dir})
	if exitCode(err) != 4 || !strings.Contains(err.Error(), "PondCluster refused/heron is on the target already, and differs from the files at spec.depth") || len(p.Objects) != 29 {
		t.Errorf("preview: %v", err)
	}
	asked := false
	_, err = Restore(ctx, RestoreOptions{Target: b, Dir: dir, Confirm: func(context.Context, *plan.Plan) error { asked = true; return nil }})
	if exitCode(err) != 4 || asked {
		t.Errorf("got %v, asked: %v", err, asked)
	}
	if n := b.Requests().Sub(before); n.ByVerb["delete"] > 0 {
		t.Errorf("%s", n)
	}
	noJournal(t, b)
	if got := look(t, b, graph.Version, "refused"); len(got) != 2 {
		t.Errorf("%d objects are there", len(got))
	}
	// without those it can be restored, where their owners may be the ones that are there
	if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Exclude: []string{"PondCluster", "Cluster/heron"}}); exitCode(err) != 4 || !strings.Contains(err.Error(), "left out by --exclude") {
		t.Errorf("got %v", err)
	}
	orphans := []string{"cluster.x-k8s.io/cluster-name=heron"}
	if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Exclude: []string{"PondCluster", "Cluster/heron"}, AllowOrphans: orphans}); err != nil {
		t.Fatal(err)
	}
	cluster, err := b.Get(ctx, gvkNamed("Cluster"), "refused", "heron")
	if err != nil {
		t.Fatal(err)
	}
	md, err := b.Get(ctx, gvkNamed("MachineDeployment"), "refused", "heron-md")
	if err != nil || len(md.GetOwnerReferences()) != 1 || md.GetOwnerReferences()[0].UID != cluster.GetUID() || capi.Paused(md) {
		t.Errorf("%v, %v", md, err)
	}
}

// TestRestoreUndone: an error in the middle that can't heal leaves nothing behind.
func TestRestoreUndone(t *testing.T) {
	ctx := within(t, time.Minute)
	dir, before := backedUp(t, ctx, "undone")
	b := connect(t, right)
	stranger := graph.Cluster("undone", "heron", graph.Version)[6] // a MachineDeployment's name, taken at the last moment
	_, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Confirm: func(context.Context, *plan.Plan) error {
		_ = unstructured.SetNestedField(stranger.Object, "x", "spec", "other")
		stranger.SetOwnerReferences(nil)
		_ = unstructured.SetNestedField(stranger.Object, int64(7), "spec", "replicas")
		if err := graph.Load(ctx, right.REST, []*unstructured.Unstructured{stranger}); err != nil {
			return err
		}
		time.Sleep(1100 * time.Millisecond) // times of objects are told in seconds
		return nil
	}})
	if err == nil || !strings.Contains(err.Error(), "MachineDeployment undone/heron-md is on the target already") || !strings.Contains(err.Error(), "rolled back") {
		t.Fatalf("got %v", err)
	}
	noJournal(t, b)
	if got := look(t, b, graph.Version, "undone"); len(got) != 1 {
		t.Errorf("%d objects are left, want only the stranger's", len(got))
	}
	deleteAt(t, b, kube.Target{GVK: gvkNamed("MachineDeployment"), Namespace: "undone", Name: "heron-md"})
	if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	sameWorld(t, "restored", before, look(t, b, graph.Version, "undone"))
}

// TestRestoreOfAnotherKind: the target lacks a kind, or serves another version of it.
func TestRestoreOfUnknownKinds(t *testing.T) {
	ctx := within(t, time.Minute)
	dir, _ := backedUp(t, ctx, "unknown")
	out := t.TempDir()
	n := 0
	held(t, dir, func(u *unstructured.Unstructured, _ []byte) {
		switch u.GetKind() {
		case "PondMachine":
			u.SetKind("LakeMachine")
		case "PondCluster":
			u.SetAPIVersion(graph.Infrastructure + "/v1alpha9")
		}
		text, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		n++
		write(t, filepath.Join(out, u.GetKind()+"_unknown_"+u.GetName()+".yaml"), text)
	})
	_, err := Restore(ctx, RestoreOptions{Target: connect(t, right), Dir: out})
	if exitCode(err) != 4 || !strings.Contains(err.Error(), "the target doesn't know LakeMachine") || !strings.Contains(err.Error(), "the files have it in v1alpha9") {
		t.Errorf("got %v", err)
	}
	p, err := PreviewRestore(ctx, RestoreOptions{Dir: out})
	if err != nil || len(p.Objects) != n {
		t.Errorf("without a target: %v", err)
	}
}
