// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const inEngine = "clusterctl-heron-abc"

func TestEnsureAndDelete(t *testing.T) {
	t.Parallel()
	f := newFake()
	c := newTest(t, f, Options{}, nil)
	for range 2 { // The second finds it.
		if err := c.Ensure(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if f.made != 1 || f.count() != 1 {
		t.Errorf("made %d, there are %d", f.made, f.count())
	}
	rec, err := readRecord(c.dir)
	if err != nil || !rec.Complete || rec.Nodes[inEngine+"-control-plane"] != "id1" || rec.KubernetesVersion != "v1.34.4" {
		t.Errorf("record: %+v, %v", rec, err)
	}
	info, err := os.Stat(c.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
	infos, err := Names(c.opts.Dirs)
	if err != nil || len(infos) != 1 || infos[0] != "heron" {
		t.Errorf("names: %v, %v", infos, err)
	}
	for range 2 { // The second finds nothing.
		if err := c.Delete(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(root(c.opts.Dirs.State)); f.count() != 0 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left: %d containers, %v", f.count(), err)
	}
}

func TestStoppedIsStarted(t *testing.T) {
	t.Parallel()
	f := newFake()
	var lacks error
	c := newTest(t, f, Options{}, &lacks)
	if err := c.Ensure(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	_ = f.stop(t.Context(), []string{"id1"})
	if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Stopped {
		t.Errorf("status: %+v, %v", st, err)
	}
	lacks = errors.New("no answer")
	if err := c.Ensure(t.Context(), nil); err == nil || f.count() != 1 {
		t.Errorf("doesn't come up: %v, %d containers", err, f.count())
	}
	if st, _ := c.Status(t.Context()); st.State != bootstrap.Stopped {
		t.Errorf("what was started is left running: %+v", st)
	}
	lacks = nil
	if err := c.Ensure(t.Context(), nil); err != nil || f.made != 1 {
		t.Errorf("brought back: %v, made %d", err, f.made)
	}
	if data, _ := os.ReadFile(c.Kubeconfig()); string(data) != "fresh" {
		t.Errorf("kubeconfig: %q", data)
	}
}

func TestFailedCreateLeavesOnlyLogs(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.createErr = errors.New("kubeadm failed")
	c := newTest(t, f, Options{}, nil)
	err := c.Ensure(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "kubeadm failed") || f.count() != 0 {
		t.Fatalf("%v, %d containers", err, f.count())
	}
	hints := strings.Join(fault.Hints(err), "\n")
	if !strings.Contains(hints, c.logsDir()) {
		t.Errorf("hints: %s", hints)
	}
	if _, err := os.Stat(filepath.Join(c.logsDir(), "kubelet.log")); err != nil {
		t.Error(err)
	}
	if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Missing {
		t.Errorf("status: %+v, %v", st, err)
	}
	f.createErr = nil
	if err := c.Ensure(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestRetain(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.createErr = errors.New("kubeadm failed")
	c := newTest(t, f, Options{Retain: true}, nil)
	if err := c.Ensure(t.Context(), nil); err == nil || f.count() != 1 {
		t.Fatalf("%v, %d containers", err, f.count())
	}
	f.createErr = nil
	if err := c.Ensure(t.Context(), nil); err != nil || f.count() != 1 || f.made != 2 {
		t.Errorf("%v, %d containers, made %d", err, f.count(), f.made)
	}
}

func TestKilledWhileCreating(t *testing.T) {
	t.Parallel()
	for name, containers := range map[string]int{"before the first container": 0, "after it": 1} {
		f := newFake()
		c := newTest(t, f, Options{}, nil)
		if err := c.makeDir(); err != nil {
			t.Fatal(err)
		}
		if err := c.writeRecord(&record{Cluster: inEngine, Engine: "docker"}); err != nil {
			t.Fatal(err)
		}
		for range containers {
			f.add(inEngine)
		}
		if err := os.WriteFile(c.Kubeconfig()+".lock", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := c.Status(t.Context())
		if err != nil || st.State != bootstrap.Missing || strings.Contains(st.Detail, "removes 1 container") != (containers == 1) {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
		if err := c.Ensure(t.Context(), nil); err != nil || f.count() != 1 || f.made != containers+1 {
			t.Errorf("%s: %v, %d containers", name, err, f.count())
		}
	}
}

func TestInterruptedWhileCreating(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.hang = make(chan struct{})
	c := newTest(t, f, Options{}, nil)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	if err := c.Ensure(ctx, nil); err == nil || !strings.Contains(err.Error(), "enough") || f.count() != 0 {
		t.Errorf("%v, %d containers", err, f.count())
	}
	if rec, err := c.readRecord(); rec != nil || err != nil {
		t.Errorf("record: %+v, %v", rec, err)
	}
}

// Where kind works on after it was left behind, the record stays, and with it the next start finds what was made.
func TestKindThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.stuck = make(chan struct{})
	c := newTest(t, f, Options{}, nil)
	c.patience = 50 * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	err := c.Ensure(ctx, nil)
	if err == nil || !strings.Contains(err.Error(), "enough") || !errors.Is(err, errStillMaking) || f.count() != 0 {
		t.Fatalf("%v, %d containers", err, f.count())
	}
	if hints := strings.Join(fault.Hints(err), "\n"); !strings.Contains(hints, inEngine) || !strings.Contains(hints, "delete bootstrap heron") {
		t.Errorf("hints: %s", hints)
	}
	if rec, err := c.readRecord(); err != nil || rec == nil || rec.Complete || rec.Cluster != inEngine {
		t.Fatalf("record: %+v, %v", rec, err)
	}
	close(f.stuck)
	for f.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	f.stuck = nil
	if err := c.Ensure(t.Context(), nil); err != nil || f.count() != 1 || f.made != 3 {
		t.Errorf("%v, %d containers, made %d", err, f.count(), f.made)
	}
}

// Logs that take for ever, or all of their time, leave enough for what has to go.
func TestLogsThatHang(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.createErr, f.logsHang = errors.New("kubeadm failed"), make(chan struct{})
	t.Cleanup(func() { close(f.logsHang) })
	c := newTest(t, f, Options{}, nil)
	c.patience = 50 * time.Millisecond
	var warned string
	err := c.Ensure(t.Context(), event.Func(func(e event.Event) {
		if e.Kind == event.Warn {
			warned += e.Message
		}
	}))
	if err == nil || !strings.Contains(err.Error(), "kubeadm failed") || f.count() != 0 {
		t.Errorf("%v, %d containers", err, f.count())
	}
	if !strings.Contains(warned, "the nodes' logs couldn't be collected: not done after") {
		t.Errorf("warned: %s", warned)
	}
	if rec, err := c.readRecord(); rec != nil || err != nil {
		t.Errorf("record: %+v, %v", rec, err)
	}
}

func TestWhatIsNotOursStays(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.add(inEngine)
	c := newTest(t, f, Options{}, nil)
	if err := c.Ensure(t.Context(), nil); fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "no record") || f.count() != 1 {
		t.Errorf("a cluster of the same name: %v, %d containers", err, f.count())
	}
	if err := c.Delete(t.Context(), nil); err != nil || f.count() != 1 {
		t.Errorf("delete without a record: %v, %d containers", err, f.count())
	}

	f = newFake()
	c = newTest(t, f, Options{}, nil)
	if err := c.Ensure(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	_ = f.remove(t.Context(), []string{"id1"})
	if st, _ := c.Status(t.Context()); st.State != bootstrap.Missing {
		t.Errorf("status: %+v", st)
	}
	if err := c.Ensure(t.Context(), nil); fault.CodeOf(err) != fault.Refused || f.made != 1 {
		t.Errorf("removed by somebody else: %v", err)
	}
	f.add(inEngine) // Somebody made a cluster of that name.
	for what, err := range map[string]error{"ensure": c.Ensure(t.Context(), nil), "delete": c.Delete(t.Context(), nil)} {
		if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "didn't make") || f.count() != 1 {
			t.Errorf("%s: %v, %d containers", what, err, f.count())
		}
	}
	if rec, err := c.readRecord(); rec == nil || err != nil {
		t.Errorf("record: %v", err)
	}
}

func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	c := newTest(t, newFake(), Options{}, nil)
	if err := c.makeDir(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", "{}", `{"kind":"other","cluster":"x"}`} {
		if err := os.WriteFile(recordPath(c.dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.Delete(t.Context(), nil); fault.CodeOf(err) != fault.Refused {
			t.Errorf("%s: %v", text, err)
		}
		if st, err := c.Status(t.Context()); err != nil || st.State != bootstrap.Degraded {
			t.Errorf("%s: %+v, %v", text, st, err)
		}
	}
}
