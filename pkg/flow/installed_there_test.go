// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

func TestAdditionsAreNotedOnce(t *testing.T) {
	t.Parallel()
	a := &additions{path: filepath.Join(t.TempDir(), "existing", "uid.json")}
	crd := kube.Ref{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition", Name: "clusters.cluster.x-k8s.io"}
	ns := kube.Ref{Version: "v1", Kind: "Namespace", Name: "capi-system"}
	if err := a.add([]kube.Ref{ns}); err != nil || a.becameManagement() {
		t.Fatalf("a namespace alone makes a management cluster (%v)", err)
	}
	if err := a.add([]kube.Ref{ns, crd}); err != nil || len(a.Objects) != 2 || !a.becameManagement() {
		t.Fatalf("%v: %v", a.Objects, err)
	}
	st, err := os.Stat(a.path)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", st, err)
	}
	for range 2 {
		if err := a.forget(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(a.path); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
}

// TestRunsOnOneClusterTakeTurns: what several runs note at once is all there in the end, and nothing is left of an empty note.
func TestRunsOnOneClusterTakeTurns(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "existing")
	path := filepath.Join(dir, "uid.json")
	alone := func(use func(*additions) error) error {
		unlock, err := lockAdditions(t.Context(), path+".lock", event.Discard{}, func() {})
		if err != nil {
			return err
		}
		defer unlock()
		a, err := readAdditions(path)
		if err != nil {
			return err
		}
		return use(a)
	}
	const runs = 8
	var g errgroup.Group
	for i := range runs {
		g.Go(func() error {
			return alone(func(a *additions) error {
				return a.add([]kube.Ref{{Version: "v1", Kind: "Namespace", Name: fmt.Sprintf("pond-%d", i)}})
			})
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := alone(func(a *additions) error {
		if len(a.Objects) != runs {
			t.Errorf("noted %v", a.Objects)
		}
		return a.forget()
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the empty folder stays: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	unlock, err := lockAdditions(ctx, path+".lock", event.Discard{}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := lockAdditions(ctx, path+".lock", event.Discard{}, func() {}); err == nil {
		t.Error("two have the lock")
	}
}

func TestOnlyAnExistingClusterIsTakenNoteOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rec  BootstrapRecord
		keep bool
		want bool
	}{
		"existing":                {BootstrapRecord{Type: bootstrap.Existing}, false, true},
		"providers are to stay":   {BootstrapRecord{Type: bootstrap.Existing}, true, false},
		"ours, which goes itself": {BootstrapRecord{Type: bootstrap.Kind, Name: "pond", Made: true}, false, false},
	} {
		if got := noting(tt.rec, nil, tt.keep, Host{}) != nil; got != tt.want {
			t.Errorf("%s: noted %t", name, got)
		}
	}
}
