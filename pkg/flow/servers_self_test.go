// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/existing"
	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// at is a connection with another address.
func at(cfg *rest.Config, host string) *rest.Config {
	out := rest.CopyConfig(cfg)
	out.Host = host
	return out
}

// insecure is one that trusts whoever answers.
func insecure(cfg *rest.Config) *rest.Config {
	out := rest.CopyConfig(cfg)
	out.Insecure, out.CAData = true, nil
	return out
}

// seedSecret stores the kubeconfig with which controllers reach a workload cluster.
func seedSecret(t *testing.T, e *testenv.Env, namespace, name string, cfg *rest.Config) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	kubeconfigOf(t, file, "x", map[string]*rest.Config{"x": cfg})
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e.Seed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: "+name+"-kubeconfig, namespace: "+namespace+"}\ntype: cluster.x-k8s.io/secret\ndata: {value: "+
		base64.StdEncoding.EncodeToString(data)+"}\n")
}

// nobody is an address at which nobody answers.
const nobody = "https://127.0.0.1:1"

// whoManagesItself asks with all that can be known of a Cluster.
func (w *world) whoManagesItself(t *testing.T) {
	for name, tt := range map[string]struct {
		secret  *rest.Config // how the Cluster is reached; nil: not at all yet
		client  *rest.Config
		publish *testenv.Env // whose authority the server publishes
		want    bool
		refused bool
	}{
		"it answers":                             {secret: w.lab.REST, client: w.lab.REST, want: true},
		"it answers, another one":                {secret: w.other.REST, client: w.lab.REST},
		"no kubeconfig yet":                      {client: w.lab.REST},
		"silent, with our authority":             {secret: at(w.lab.REST, nobody), client: w.lab.REST, want: true},
		"silent, with another authority":         {secret: at(w.other.REST, nobody), client: w.lab.REST},
		"silent, and we trust whoever answers":   {secret: at(w.lab.REST, nobody), client: insecure(w.lab.REST), refused: true},
		"silent, with the published authority":   {secret: at(w.lab.REST, nobody), client: insecure(w.lab.REST), publish: w.lab, want: true},
		"silent, with another than is published": {secret: at(w.other.REST, nobody), client: insecure(w.lab.REST), publish: w.lab},
	} {
		t.Run(name, func(t *testing.T) {
			ns := "self-" + strings.NewReplacer(" ", "-", ",", "").Replace(name)
			seedCluster(t, w.lab, ns, "heron", "")
			if tt.secret != nil {
				seedSecret(t, w.lab, ns, "heron", tt.secret)
			}
			if tt.publish != nil {
				text := "    " + strings.ReplaceAll(strings.TrimSpace(string(tt.publish.REST.CAData)), "\n", "\n    ")
				w.lab.Seed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+rootCA+", namespace: "+ns+"}\ndata:\n  ca.crt: |\n"+text+"\n")
			}
			got, err := managesItself(t.Context(), dial(t, tt.client), ns, "heron", time.Second)
			if tt.refused {
				if fault.CodeOf(err) != fault.Refused || len(fault.Hints(err)) != 1 {
					t.Errorf("error %v, want a refusal with a hint", err)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("%t, %v", got, err)
			}
		})
	}
}

// recordedAsItself reaches a cluster that manages itself by a way that tells nothing: the record does. Where the Cluster is gone from it,
// the cluster isn't.
func (w *world) recordedAsItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tunnel")
	kubeconfigOf(t, file, "tunnel", map[string]*rest.Config{"tunnel": insecure(w.lab.REST)})
	h := user(t, "")
	rec := &Record{
		Name: "itself", Namespace: "itself", Pivot: SelfManaged,
		Bootstrap: BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: filepath.Join(h.Dirs.State, "itself.kubeconfig"), Itself: true, Ready: true, UID: w.labUID, Server: nobody},
	}
	writeText(t, rec.Bootstrap.Kubeconfig, "itself")
	rec.writing(rec.Bootstrap.Kubeconfig, []byte("itself"))
	records := OpenRecords(h.Dirs.State)
	if err := records.Save(rec); err != nil {
		t.Fatal(err)
	}
	seedCluster(t, w.lab, "itself", "itself", "")
	seedSecret(t, w.lab, "itself", "itself", at(w.lab.REST, nobody))
	target := Target{Name: "itself", Namespace: "itself", Kubeconfig: file}
	d, err := NewDelete(DeleteOptions{Target: target, All: true}, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.look(t.Context()); err != nil || !d.self || d.record == nil || d.record.Bootstrap.Kubeconfig != file {
		t.Fatalf("self %t, record %+v, %v", d.self, d.record, err)
	}
	c := dial(t, w.lab.REST)
	gvk, err := capi.ClusterGVK(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), gvk, "itself", "itself", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	wantKept(t, h, rec, remove(t, h, target), "managed itself")
}

// wayBackBegins notes both clusters by their UIDs, and forgets the snapshot of an earlier way back.
func (w *world) wayBackBegins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	kubeconfigOf(t, file, "lab", map[string]*rest.Config{"lab": w.lab.REST, "other": w.other.REST})
	h := user(t, file)
	seedCluster(t, w.lab, "back", "back", "")
	d, err := NewDelete(DeleteOptions{
		Target: Target{Name: "back", Namespace: "back"}, Bootstrap: BootstrapOptions{Type: bootstrap.Existing, Context: "other"},
	}, h)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // The second time there is a record, with what the first way back left.
		if err := d.beginReturn(t.Context()); err != nil {
			t.Fatal(err)
		}
		rec, err := d.records.Load("back", "back")
		if err != nil || rec.Pivot != Returning || rec.Snapshot != "" || rec.Released {
			t.Fatalf("recorded: %+v, %v", rec, err)
		}
		if s := rec.Self; s.UID != w.labUID || s.Context != "lab" || !s.Itself {
			t.Errorf("the cluster itself: %+v", s)
		}
		if b := rec.Bootstrap; b.UID != w.otherUID || b.Context != "other" || b.Itself {
			t.Errorf("the bootstrap cluster: %+v", b)
		}
		d.record.Snapshot, d.record.Released = "/old", true
		d.record.Bootstrap, d.mgmt = *d.record.Self, nil
		if d.boot, err = openBootstrap(d.record.Bootstrap, BootstrapOptions{}, h); err != nil {
			t.Fatal(err)
		}
	}
}

// stillInside finds the cluster's objects where the bootstrap cluster of the way back was never made: nothing is to be recovered.
func (w *world) stillInside(t *testing.T) {
	seedCluster(t, w.lab, "inside", "inside", "")
	h := user(t, "")
	d := lostBootstrap(t, h, w.lab.Kubeconfig)
	d.opts.Name, d.opts.Namespace = "inside", "inside"
	d.record.Self.UID = w.labUID
	if lost, err := d.lost(t.Context()); lost || err != nil {
		t.Errorf("lost %t, %v", lost, err)
	}
	d.source, d.record.Self.UID, d.record.Released = nil, w.otherUID, true
	if lost, err := d.lost(t.Context()); lost || fault.CodeOf(err) != fault.Refused {
		t.Errorf("another cluster: lost %t, %v", lost, err)
	}
}

// moveUnderWay refuses to change what a move is taking away, unless the move is the run's own.
func (w *world) moveUnderWay(t *testing.T) {
	w.lab.Seed(t, `
apiVersion: v1
kind: ConfigMap
metadata: {name: clusterctl-move, namespace: kube-system}
data: {journal: '{"id":"x","phase":"copying","source":{"uid":"a"},"target":{"uid":"b"}}'}
`)
	c := dial(t, w.lab.REST)
	t.Cleanup(func() {
		if err := c.Delete(context.Background(), schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "kube-system", "clusterctl-move", metav1.DeleteOptions{}); err != nil {
			t.Log(err)
		}
	})
	if st, err := move.Inspect(t.Context(), c); err != nil || st == nil || st.Phase != move.PhaseCopying {
		t.Fatalf("%+v, %v", st, err)
	}
	h := user(t, "")
	rec := BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: w.lab.Kubeconfig}
	for state, refused := range map[PivotState]bool{NotPivoted: true, SelfManaged: true, Pivoting: false, Pivoted: false} {
		create := &Create{host: h, record: &Record{Pivot: state, Bootstrap: rec}, boot: existing.New(w.lab.Kubeconfig, ""), planned: &plan{}}
		if err := create.checkNoMove(t.Context(), c, &plan{}); (fault.CodeOf(err) == fault.Refused) != refused {
			t.Errorf("%q: %v", state, err)
		}
		for _, create.resumed = range []bool{true, false} { // a first run knows of no management cluster yet
			if err := create.checkMoveFirst(t.Context(), &plan{}); (fault.CodeOf(err) == fault.Refused) != (refused && create.resumed) || create.mgmt != nil {
				t.Errorf("%q: before anything is begun, resumed %t: %v", state, create.resumed, err)
			}
		}
		if _, err := create.addMachines(t.Context()); fault.CodeOf(err) != fault.Refused {
			t.Errorf("%q: machines: %v", state, err)
		}
	}
	seedCluster(t, w.lab, "others", "others", "")
	d := &Delete{host: h, boot: existing.New(w.lab.Kubeconfig, ""), opts: DeleteOptions{Target: Target{Kubeconfig: w.lab.Kubeconfig}}}
	d.others = []capi.ClusterState{{Namespace: "others", Name: "others"}}
	d.host.Sink = event.Discard{}
	if _, err := d.deleteOthers(t.Context()); fault.CodeOf(err) != fault.Refused || !hasCluster(t, w.lab, "others", "others") {
		t.Errorf("others: %v", err)
	}
}
