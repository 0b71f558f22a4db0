// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/paths"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// world are two control planes: the lab has the Cluster API's kinds, the other one gets them later.
type world struct {
	lab, other       *testenv.Env
	labUID, otherUID string
}

// TestOnServers are the tests that need servers which answer. They share two, and have a namespace and a state folder of their own.
func TestOnServers(t *testing.T) {
	kube.SetLogger(nil)
	w := &world{lab: testenv.Start(t), other: testenv.Start(t)}
	w.lab.Seed(t, graph.CRDs(graph.Version))
	w.labUID, w.otherUID = uid(t, w.lab), uid(t, w.other)
	t.Run("without Cluster API nothing is known", w.withoutClusterAPI)
	w.other.Seed(t, graph.CRDs(graph.Version))
	t.Run("no such cluster", w.noSuchCluster)
	t.Run("another current context", w.anotherContext)
	t.Run("another working directory", w.anotherDirectory)
	t.Run("the file leads elsewhere", w.anotherServer)
	t.Run("made anew at the same address", w.madeAnew)
	t.Run("deleted where it was moved to", w.deletedElsewhere)
	t.Run("killed after a pivot that never began", w.killedAfterDelete)
	t.Run("who manages itself", w.whoManagesItself)
	t.Run("the record says that it manages itself", w.recordedAsItself)
	t.Run("the way back begins", w.wayBackBegins)
	t.Run("still inside", w.stillInside)
	t.Run("a move is under way", w.moveUnderWay)
	t.Run("moved away", w.movedAway)
}

// noSuchCluster: a name that the server doesn't have is refused, before any step begins.
func (w *world) noSuchCluster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	kubeconfigOf(t, path, "lab", map[string]*rest.Config{"lab": w.lab.REST})
	host, began := user(t, path), ""
	host.Sink = event.Func(func(e event.Event) {
		if e.Kind == event.Start || e.Kind == event.Fail {
			began += e.Message
		}
	})
	d, err := NewDelete(DeleteOptions{Target: Target{Name: "nosuch", Namespace: "default", Kubeconfig: path}}, host)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Run(t.Context()); !NothingToDelete(err) || fault.CodeOf(err) != fault.Refused || began != "" {
		t.Errorf("got %v, class %d, begun: %q", err, fault.CodeOf(err), began)
	}
}

func uid(t *testing.T, e *testenv.Env) string {
	t.Helper()
	id, err := dial(t, e.REST).UID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func dial(t *testing.T, cfg *rest.Config) *kube.Client {
	t.Helper()
	c, err := kube.New(cfg, kube.Options{Sink: event.Discard{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// user is a host with a state folder of its own, and $KUBECONFIG.
func user(t *testing.T, kubeconfig string) Host {
	t.Helper()
	t.Setenv(clientcmd.RecommendedConfigPathEnvVar, kubeconfig) // what the existing cluster itself reads
	config, _, err := provider.LoadConfig(t.Context(), provider.LoadOptions{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return Host{
		Dirs: paths.Dirs{State: dir, Cache: filepath.Join(dir, "cache")}, WorkDir: dir, Config: config, Sink: event.Discard{},
		Getenv: func(name string) string {
			if name == clientcmd.RecommendedConfigPathEnvVar {
				return kubeconfig
			}
			return ""
		},
	}
}

// kubeconfigOf writes a kubeconfig whose contexts lead to servers; the first one is current.
func kubeconfigOf(t *testing.T, path, current string, contexts map[string]*rest.Config) {
	t.Helper()
	kc := clientcmdapi.NewConfig()
	for name, cfg := range contexts {
		kc.Clusters[name] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: cfg.CAData, InsecureSkipTLSVerify: cfg.Insecure}
		kc.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: cfg.BearerToken}
		kc.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	}
	kc.CurrentContext = current
	if err := clientcmd.WriteToFile(*kc, path); err != nil {
		t.Fatal(err)
	}
}

// seedCluster stores a bare Cluster.
func seedCluster(t *testing.T, e *testenv.Env, namespace, name, meta string) {
	t.Helper()
	e.Seed(t, "apiVersion: cluster.x-k8s.io/"+graph.Version+"\nkind: Cluster\nmetadata: {name: "+name+", namespace: "+namespace+meta+"}\nspec: {}\n")
}

func hasCluster(t *testing.T, e *testenv.Env, namespace, name string) bool {
	t.Helper()
	there, err := holdsCluster(t.Context(), dial(t, e.REST), namespace, name)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// begun is the record that the preflight of a creation leaves, as one that got its kubeconfig.
func begun(t *testing.T, h Host, name string, o BootstrapOptions) *Record {
	t.Helper()
	file := filepath.Join(h.Dirs.State, "cluster.yaml")
	writeText(t, file, "apiVersion: cluster.x-k8s.io/"+graph.Version+"\nkind: Cluster\nmetadata: {name: "+name+"}\nspec: {}\n")
	c, err := NewCreate(CreateOptions{Name: name, Namespace: name, Inputs: Inputs{Files: []string{file}}, Bootstrap: o}, h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.RunStep(t.Context(), StepPreflight); err != nil {
		t.Fatal(err)
	}
	rec, err := c.records.Load(name, name)
	if err != nil {
		t.Fatal(err)
	}
	rec.Bootstrap.Ready, rec.Applied = true, true
	path := filepath.Join(h.Dirs.State, name+".kubeconfig")
	writeText(t, path, name)
	rec.writing(path, []byte(name))
	if err := c.records.Save(rec); err != nil {
		t.Fatal(err)
	}
	return rec
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, h Host, target Target) error {
	t.Helper()
	d, err := NewDelete(DeleteOptions{Target: target}, h)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	return d.Run(ctx)
}

// wantKept wants a refusal that holds words, and the record and the cluster's kubeconfig to be there still.
func wantKept(t *testing.T, h Host, rec *Record, err error, words ...string) {
	t.Helper()
	if fault.CodeOf(err) != fault.Refused || len(fault.Hints(err)) == 0 {
		t.Fatalf("error %v, hints %q: want a refusal that says what to do", err, fault.Hints(err))
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %v: want %q", err, w)
		}
	}
	if _, err := OpenRecords(h.Dirs.State).Load(rec.Namespace, rec.Name); err != nil {
		t.Error(err)
	}
	if !isFile(rec.Kubeconfig) {
		t.Error("the kubeconfig of the cluster is gone")
	}
}

func wantForgotten(t *testing.T, h Host, rec *Record, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRecords(h.Dirs.State).Load(rec.Namespace, rec.Name); !errors.Is(err, ErrNoRecord) {
		t.Errorf("the record: %v", err)
	}
	if isFile(rec.Kubeconfig) {
		t.Error("the kubeconfig of the cluster is left")
	}
}

// withoutClusterAPI asks a server for a Cluster that has no Cluster API: only where it is known that no run came that far, that is as good
// as deleted.
func (w *world) withoutClusterAPI(t *testing.T) {
	h := user(t, "")
	rec := begun(t, h, "bare", BootstrapOptions{Kubeconfig: w.other.Kubeconfig})
	wantKept(t, h, rec, remove(t, h, Target{Name: "bare"}), "no Cluster API at all")

	old := *rec
	old.Bootstrap.UID, old.Bootstrap.Server, old.Applied = "", "", false
	if err := OpenRecords(h.Dirs.State).Save(&old); err != nil {
		t.Fatal(err)
	}
	wantKept(t, h, rec, remove(t, h, Target{Name: "bare"}), "no Cluster API at all")

	rec.Applied = false
	if err := OpenRecords(h.Dirs.State).Save(rec); err != nil {
		t.Fatal(err)
	}
	wantForgotten(t, h, rec, remove(t, h, Target{Name: "bare"}))
}

// anotherContext makes another context the current one between creation and deletion.
func (w *world) anotherContext(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	contexts := map[string]*rest.Config{"lab": w.lab.REST, "other": w.other.REST}
	kubeconfigOf(t, file, "lab", contexts)
	h := user(t, file)
	rec := begun(t, h, "context", BootstrapOptions{Type: bootstrap.Existing})
	if rec.Bootstrap.Context != "lab" || rec.Bootstrap.UID != w.labUID || rec.Bootstrap.Server != w.lab.REST.Host {
		t.Errorf("recorded: %+v", rec.Bootstrap)
	}
	for _, e := range []*testenv.Env{w.lab, w.other} {
		seedCluster(t, e, "context", "context", "")
	}
	kubeconfigOf(t, file, "other", contexts)
	c, err := NewCreate(CreateOptions{Name: "context", Namespace: "context", Bootstrap: BootstrapOptions{Type: bootstrap.Existing}}, h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.RunStep(t.Context(), StepPreflight); err != nil || c.mgmt.Host() != w.lab.REST.Host {
		t.Errorf("create again: %v, at %s", err, c.mgmt.Host())
	}
	wantForgotten(t, h, rec, remove(t, h, Target{Name: "context"}))
	if hasCluster(t, w.lab, "context", "context") || !hasCluster(t, w.other, "context", "context") {
		t.Error("it was deleted in the wrong place")
	}
}

// anotherDirectory deletes where a file of the same name leads to another server.
func (w *world) anotherDirectory(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	kubeconfigOf(t, filepath.Join(a, "mgmt.kubeconfig"), "x", map[string]*rest.Config{"x": w.lab.REST})
	kubeconfigOf(t, filepath.Join(b, "mgmt.kubeconfig"), "x", map[string]*rest.Config{"x": w.other.REST})
	h := user(t, "")
	t.Chdir(a)
	rec := begun(t, h, "folder", BootstrapOptions{Kubeconfig: "mgmt.kubeconfig"})
	for _, e := range []*testenv.Env{w.lab, w.other} {
		seedCluster(t, e, "folder", "folder", "")
	}
	t.Chdir(b)
	wantForgotten(t, h, rec, remove(t, h, Target{Name: "folder"}))
	if hasCluster(t, w.lab, "folder", "folder") || !hasCluster(t, w.other, "folder", "folder") {
		t.Error("it was deleted in the wrong place")
	}
}

// anotherServer has the recorded kubeconfig lead to another cluster later; the right one, named anew, is taken.
func (w *world) anotherServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mgmt.kubeconfig")
	kubeconfigOf(t, file, "x", map[string]*rest.Config{"x": w.lab.REST})
	h := user(t, "")
	rec := begun(t, h, "server", BootstrapOptions{Kubeconfig: file})
	for _, e := range []*testenv.Env{w.lab, w.other} {
		seedCluster(t, e, "server", "server", "")
	}
	kubeconfigOf(t, file, "x", map[string]*rest.Config{"x": w.other.REST})
	wantKept(t, h, rec, remove(t, h, Target{Name: "server"}), w.labUID, w.otherUID, w.lab.REST.Host, w.other.REST.Host)
	if _, err := Managed(t.Context(), Target{Name: "server"}, h); fault.CodeOf(err) != fault.Refused {
		t.Errorf("where it is managed: %v", err)
	}
	again := func(o BootstrapOptions) error {
		c, err := NewCreate(CreateOptions{Name: "server", Namespace: "server", Bootstrap: o}, h)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.RunStep(t.Context(), StepPreflight)
		return err
	}
	wantKept(t, h, rec, again(BootstrapOptions{}), w.labUID, w.otherUID)
	wantKept(t, h, rec, again(BootstrapOptions{Kubeconfig: w.other.Kubeconfig}), w.labUID, w.otherUID)
	if !hasCluster(t, w.other, "server", "server") {
		t.Error("it was deleted in the wrong place")
	}
	if err := again(BootstrapOptions{Kubeconfig: w.lab.Kubeconfig}); err != nil {
		t.Errorf("create with the right one: %v", err)
	}
	if now, err := OpenRecords(h.Dirs.State).Load("server", "server"); err != nil || now.Bootstrap.Kubeconfig != w.lab.Kubeconfig || now.Bootstrap.UID != w.labUID {
		t.Errorf("recorded: %+v, %v", now, err)
	}
	elsewhere := filepath.Join(t.TempDir(), "copy")
	kubeconfigOf(t, elsewhere, "y", map[string]*rest.Config{"y": w.lab.REST})
	wantForgotten(t, h, rec, remove(t, h, Target{Name: "server", Namespace: "server", Kubeconfig: elsewhere}))
	if hasCluster(t, w.lab, "server", "server") || !hasCluster(t, w.other, "server", "server") {
		t.Error("it was deleted in the wrong place")
	}
}

// madeAnew: another cluster answers at the address of the recorded one. A whole order begins anew there, and what was recorded is kept;
// going on, and deleting, are refused.
func (w *world) madeAnew(t *testing.T) {
	h := user(t, "")
	rec := begun(t, h, "anew", BootstrapOptions{Kubeconfig: w.lab.Kubeconfig})
	rec.Bootstrap.UID = "of-the-cluster-before"
	records := OpenRecords(h.Dirs.State)
	if err := records.Save(rec); err != nil {
		t.Fatal(err)
	}
	before := readText(t, records.path("anew", "anew"))
	run := func(in Inputs) error {
		c, err := NewCreate(CreateOptions{Name: "anew", Namespace: "anew", Inputs: in, Bootstrap: BootstrapOptions{Kubeconfig: w.lab.Kubeconfig}}, h)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.RunStep(t.Context(), StepPreflight)
		return err
	}
	order := Inputs{Files: []string{filepath.Join(h.Dirs.State, "cluster.yaml")}}

	wantKept(t, h, rec, run(Inputs{}), "of-the-cluster-before", w.labUID)
	wantKept(t, h, rec, remove(t, h, Target{Name: "anew"}), "of-the-cluster-before", w.labUID)
	wantKept(t, h, rec, run(order), rec.Kubeconfig, "may run still")
	if at, err := Managed(t.Context(), Target{Name: "anew"}, h); err != nil || at.Kubeconfig != "" {
		t.Errorf("where it is managed: %+v, %v", at, err)
	}

	if err := os.Rename(rec.Kubeconfig, rec.Kubeconfig+".before"); err != nil {
		t.Fatal(err)
	}
	if err := run(order); err != nil {
		t.Fatalf("a whole order: %v", err)
	}
	now, err := records.Load("anew", "anew")
	if err != nil || now.Bootstrap.UID != w.labUID || now.Applied || now.Kubeconfig != "" {
		t.Errorf("recorded: %+v, %v", now, err)
	}
	aside, _ := filepath.Glob(records.path("anew", "anew") + ".until-*")
	if len(aside) != 1 || readText(t, aside[0]) != before {
		t.Errorf("put aside: %q", aside)
	}
	if all, err := records.List(); err != nil || len(all) != 1 {
		t.Errorf("%d records, %v", len(all), err)
	}
}

// deletedElsewhere: who moved a cluster by hand deletes it where it is now. What this host still has of it is named, not deleted.
func (w *world) deletedElsewhere(t *testing.T) {
	h := user(t, "")
	rec := begun(t, h, "moved", BootstrapOptions{Kubeconfig: w.lab.Kubeconfig})
	seedCluster(t, w.other, "moved", "moved", "")
	snapshot := filepath.Join(h.Dirs.State, "moves", "a.jsonl")
	if err := os.MkdirAll(filepath.Dir(snapshot), 0o700); err != nil {
		t.Fatal(err)
	}
	writeText(t, snapshot, snapshotIn("moved", "moved"))
	wantKept(t, h, rec, remove(t, h, Target{Name: "moved"}), snapshot, "another management cluster")
	warned := ""
	h.Sink = event.Func(func(e event.Event) {
		if e.Kind == event.Warn {
			warned += e.Message + "\n"
		}
	})
	wantWarned := func(words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(warned, w) {
				t.Errorf("warned %q, want %q", warned, w)
			}
		}
		warned = ""
	}
	if err := remove(t, h, Target{Name: "moved", Namespace: "moved", Kubeconfig: w.other.Kubeconfig}); err != nil {
		t.Fatal(err)
	}
	wantWarned(snapshot, "--forget")
	d, err := NewDelete(DeleteOptions{Target: Target{Name: "moved", Namespace: "moved"}}, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantWarned(snapshot, rec.Kubeconfig)
	if !isFile(snapshot) || !isFile(rec.Kubeconfig) {
		t.Error("a file that may be needed is gone")
	}
	if _, err := OpenRecords(h.Dirs.State).Load("moved", "moved"); !errors.Is(err, ErrNoRecord) {
		t.Errorf("the record: %v", err)
	}
}

// killedAfterDelete ends a deletion after its DELETE whose record says that a pivot was about to begin: the next one finishes it.
func (w *world) killedAfterDelete(t *testing.T) {
	h := user(t, "")
	rec := begun(t, h, "half", BootstrapOptions{Kubeconfig: w.lab.Kubeconfig})
	seedCluster(t, w.lab, "half", "half", ", finalizers: [cluster.cluster.x-k8s.io]")
	rec.Pivot, rec.Self = Pivoting, &BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: rec.Kubeconfig, Itself: true}
	records := OpenRecords(h.Dirs.State)
	if err := records.Save(rec); err != nil {
		t.Fatal(err)
	}
	d, err := NewDelete(DeleteOptions{Target: Target{Name: "half"}}, h)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	if err := d.Run(ctx); fault.CodeOf(err) != fault.Timeout {
		t.Fatalf("error %v, want a timeout", err)
	}
	now, err := records.Load("half", "half")
	if err != nil || now.Pivot != NotPivoted || now.Self != nil || now.ClusterGone {
		t.Fatalf("recorded: %+v, %v", now, err)
	}
	c := dial(t, w.lab.REST)
	gvk, err := capi.ClusterGVK(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Patch(t.Context(), gvk, "half", "half", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)); err != nil {
		t.Fatal(err)
	}
	wantForgotten(t, h, rec, remove(t, h, Target{Name: "half"}))
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
