// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
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
	if _, err := os.Stat(filepath.Dir(a.path)); !os.IsNotExist(err) {
		t.Errorf("the empty folder stays: %v", err)
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
