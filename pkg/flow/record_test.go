// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

func TestRecordsAreKeptAndForgotten(t *testing.T) {
	t.Parallel()
	r := OpenRecords(t.TempDir())
	if _, err := r.Load("default", "demo"); !errors.Is(err, ErrNoRecord) {
		t.Fatalf("error %v, want ErrNoRecord", err)
	}
	rec := &Record{Name: "demo", Namespace: "default", Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: "demo", Made: true}}
	if err := r.Save(rec); err != nil {
		t.Fatal(err)
	}
	got, err := r.Load("default", "demo")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rec, got); diff != "" {
		t.Error(diff)
	}
	torn := filepath.Join(filepath.Dir(r.path("default", "demo")), ".default_demo.json-123")
	if err := os.WriteFile(torn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Remove("default", "demo"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(torn); err == nil {
		t.Error("what a killed run left of a record is still there")
	}
	if all, err := r.List(); err != nil || len(all) != 0 {
		t.Errorf("%d records, error %v, want none", len(all), err)
	}
}

func TestRecordsAreOnlyForTheirUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := OpenRecords(dir)
	if err := r.Save(&Record{Name: "demo", Namespace: "default"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{"runs": 0o700, "runs/default_demo.json": 0o600} {
		st, err := os.Stat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, st.Mode().Perm(), want)
		}
	}
}

func TestADamagedRecordIsNamedAndNotOverwritten(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut off": `{"version": 1, "na`, "of a newer version": `{"version": 99}`,
		"without content": `{}`, "null": `null`, "of something else": `{"apiVersion": "v1", "kind": "Secret"}`, "about another cluster": `{"version": 1, "name": "heron", "namespace": "default"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := OpenRecords(dir)
			if err := r.Save(&Record{Name: "demo", Namespace: "default"}); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "runs", "default_demo.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := r.Load("default", "demo")
			if err == nil || !strings.Contains(err.Error(), path) || len(fault.Hints(err)) == 0 {
				t.Errorf("error %v: want the path and a hint", err)
			}
		})
	}
}

func TestTwoRunsOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := OpenRecords(dir)
	unlock, err := r.Lock("default", "demo", "clusterctl create cluster demo")
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Lock("default", "demo", "second")
	if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), `"clusterctl create cluster demo" (process `) {
		t.Errorf("error %v: want a refusal that names the holder", err)
	}
	other, err := r.Lock("default", "other", "third")
	if err != nil {
		t.Errorf("another name is locked as well: %v", err)
	}
	other()
	unlock()
	again, err := r.Lock("default", "demo", "fourth")
	if err != nil {
		t.Fatalf("the lock isn't free after unlock: %v", err)
	}
	again()
	left, err := filepath.Glob(filepath.Join(dir, "runs", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestLocateByAKubeconfigThatIsGone finds the run of a cluster that managed itself, whose deletion has removed its kubeconfig already.
func TestLocateByAKubeconfigThatIsGone(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	host := Host{Dirs: paths.Dirs{State: t.TempDir()}, Getenv: func(string) string { return "" }}
	records := OpenRecords(host.Dirs.State)
	rec := &Record{
		Name: "prod", Namespace: "team-a", Bootstrap: BootstrapRecord{Type: bootstrap.Kind, Name: "prod", Made: true},
		Self: &BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: filepath.Join(dir, "prod.kubeconfig"), Itself: true},
	}
	if err := records.Save(rec); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"prod.kubeconfig", "./prod.kubeconfig", filepath.Join(dir, "prod.kubeconfig")} {
		target, found, err := Locate(Target{Name: "prod", Kubeconfig: path}, host)
		if err != nil || found == nil || target.Namespace != "team-a" {
			t.Errorf("%s: %+v, %v, %v", path, target, found, err)
		}
	}
	for _, other := range []Target{{Name: "prod", Kubeconfig: "other.kubeconfig"}, {Name: "prod", Namespace: "team-b", Kubeconfig: "prod.kubeconfig"}, {Name: "dev", Kubeconfig: "prod.kubeconfig"}} {
		if _, found, err := Locate(other, host); found != nil || err == nil {
			t.Errorf("%+v: %v, %v", other, found, err)
		}
	}
}

// TestAStateFolderThatCantBeReadIsNoEmptyOne: a clean-up must not take a cluster for deleted because its record can't be read.
func TestAStateFolderThatCantBeReadIsNoEmptyOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.Mkdir(filepath.Join(damaged, "runs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged, "runs", "default_heron.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{file, damaged} {
		for _, kubeconfig := range []string{"", filepath.Join(t.TempDir(), "gone")} {
			h := Host{Getenv: func(string) string { return "" }}
			h.Dirs.State = state
			_, err := NewDelete(DeleteOptions{Target: Target{Name: "heron", Kubeconfig: kubeconfig}}, h)
			if err == nil || NothingToDelete(err) {
				t.Errorf("%s, kubeconfig %q: %v", state, kubeconfig, err)
			}
		}
	}
}
