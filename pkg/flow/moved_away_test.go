// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// movedAway has a Cluster missing where it was made, while its API server answers; then it doesn't answer any more.
func (w *world) movedAway(t *testing.T) {
	h := user(t, "")
	rec := begun(t, h, "away", BootstrapOptions{Kubeconfig: w.lab.Kubeconfig})
	lead := func(host string) {
		kubeconfigOf(t, rec.Kubeconfig, "x", map[string]*rest.Config{"x": at(w.other.REST, host)})
		data, err := os.ReadFile(rec.Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		rec.writing(rec.Kubeconfig, data)
		if err := OpenRecords(h.Dirs.State).Save(rec); err != nil {
			t.Fatal(err)
		}
	}
	lead(w.other.REST.Host)
	wantKept(t, h, rec, remove(t, h, Target{Name: "away"}), "answers at "+w.other.REST.Host, "moved away")

	again := func() error {
		c, err := NewCreate(CreateOptions{Name: "away", Namespace: "away"}, h)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.RunStep(t.Context(), StepPreflight)
		return err
	}
	wantKept(t, h, rec, again(), "answers at "+w.other.REST.Host)

	seedCluster(t, w.lab, "away", "away", "")
	if err := again(); err != nil {
		t.Errorf("where it is: %v", err)
	}
	wantForgotten(t, h, rec, remove(t, h, Target{Name: "away"}))

	rec = begun(t, h, "away", BootstrapOptions{Kubeconfig: w.lab.Kubeconfig})
	lead(nobody)
	wantForgotten(t, h, rec, remove(t, h, Target{Name: "away"}))
}

// TestDeleteBootstrapUnderARun: a bootstrap cluster doesn't go from under a run that is at work, whatever is abandoned.
func TestDeleteBootstrapUnderARun(t *testing.T) {
	h := user(t, "")
	records := OpenRecords(h.Dirs.State)
	for _, name := range []string{"mine", "other"} {
		if err := records.Save(&Record{Name: name, Namespace: "pond", Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := OpenBootstrap("mine", BootstrapOptions{}, h)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := records.Lock("pond", "mine", "create cluster")
	if err != nil {
		t.Fatal(err)
	}
	for _, abandon := range []bool{false, true} {
		_, err := DeleteBootstrap(t.Context(), b, h, abandon)
		if fault.CodeOf(err) != fault.Refused || !strings.Contains(fmt.Sprint(err), `"mine" is in use: cluster pond/mine is being worked on by "create cluster"`) {
			t.Errorf("abandon %t: %v", abandon, err)
		}
	}
	unlock()
	if _, err := records.Lock("pond", "other", "create cluster"); err != nil {
		t.Fatal(err)
	}
	if _, err := DeleteBootstrap(t.Context(), b, h, false); err != nil {
		t.Errorf("while another one is used: %v", err)
	}
}
