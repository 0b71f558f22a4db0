// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/workload"
)

// threeContexts writes mgmt.kubeconfig into the working directory.
func threeContexts(t *testing.T) (path string, h Host) {
	t.Helper()
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "mgmt.kubeconfig")
	kubeconfigOf(t, path, "b", map[string]*rest.Config{"a": {Host: "https://a.example"}, "b": {Host: "https://b.example"}, "c": {Host: "https://c.example"}})
	return path, Host{Getenv: func(name string) string { return map[string]string{"KUBECONFIG": path}[name] }}
}

func TestARecordIsPinned(t *testing.T) {
	path, h := threeContexts(t)
	for name, tt := range map[string]struct{ rec, want BootstrapRecord }{
		"the current context":     {BootstrapRecord{Type: bootstrap.Existing}, BootstrapRecord{Type: bootstrap.Existing, Context: "b"}},
		"a file":                  {BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: "mgmt.kubeconfig"}, BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: path, Context: "b"}},
		"a context":               {BootstrapRecord{Type: bootstrap.Existing, Context: "a"}, BootstrapRecord{Type: bootstrap.Existing, Context: "a"}},
		"a file that isn't there": {BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: path + ".x"}, BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: path + ".x"}},
		"ours":                    {BootstrapRecord{Type: bootstrap.Kind, Name: "b"}, BootstrapRecord{Type: bootstrap.Kind, Name: "b"}},
	} {
		if got, err := pinned(tt.rec, h); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A record is found by the kubeconfig that it names, with its context or where that is the current one.
func TestARecordIsFoundByItsContext(t *testing.T) {
	path, h := threeContexts(t)
	gone := path + ".gone"
	for name, tt := range map[string]struct {
		rec  BootstrapRecord
		t    Target
		want bool
	}{
		"the current one":             {BootstrapRecord{Kubeconfig: path, Context: "b"}, Target{Kubeconfig: "mgmt.kubeconfig"}, true},
		"by name":                     {BootstrapRecord{Kubeconfig: path, Context: "a"}, Target{Kubeconfig: path, Context: "a"}, true},
		"another than the current":    {BootstrapRecord{Kubeconfig: path, Context: "a"}, Target{Kubeconfig: path}, false},
		"of an older version":         {BootstrapRecord{Kubeconfig: path}, Target{Kubeconfig: path, Context: "b"}, true},
		"of an older version, wrong":  {BootstrapRecord{Kubeconfig: path}, Target{Kubeconfig: path, Context: "c"}, false},
		"kubectl's file":              {BootstrapRecord{Context: "a"}, Target{Context: "a"}, true},
		"kubectl's file, another":     {BootstrapRecord{Context: "a"}, Target{Context: "b"}, false},
		"a file that is gone":         {BootstrapRecord{Kubeconfig: gone, Context: "x"}, Target{Kubeconfig: gone}, true},
		"a file that is gone, wrong":  {BootstrapRecord{Kubeconfig: gone, Context: "x"}, Target{Kubeconfig: gone, Context: "y"}, false},
		"one of ours, with a context": {BootstrapRecord{Type: bootstrap.Local}, Target{Context: "b"}, false},
	} {
		if tt.rec.Type == "" {
			tt.rec.Type = bootstrap.Existing
		}
		if got := (&Record{Bootstrap: tt.rec}).at(tt.t, h); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// That a Cluster isn't there is the end of a deletion only where it must have been.
func TestNothingFoundIsNotAlwaysDone(t *testing.T) {
	t.Parallel()
	missing, bare := &workload.NotFoundError{Name: "heron"}, &workload.NotFoundError{Name: "heron", NoAPI: true}
	lab := BootstrapRecord{Type: bootstrap.Existing, UID: "1"}
	for name, tt := range map[string]struct {
		rec  *Record
		err  error
		code fault.Code
	}{
		"deleted by hand":                  {&Record{Bootstrap: lab, Applied: true}, missing, 0},
		"deleted by hand, an older record": {&Record{Bootstrap: BootstrapRecord{Type: bootstrap.Existing}}, missing, 0},
		"never created":                    {&Record{Bootstrap: lab}, bare, 0},
		"Cluster API is gone":              {&Record{Bootstrap: lab, Applied: true}, bare, fault.Refused},
		"no Cluster API, an older record":  {&Record{Bootstrap: BootstrapRecord{Type: bootstrap.Existing}}, bare, fault.Refused},
		"on a bootstrap cluster of ours":   {&Record{Bootstrap: BootstrapRecord{Type: bootstrap.Kind}, Applied: true}, bare, 0},
		"it managed itself":                {&Record{Bootstrap: BootstrapRecord{Type: bootstrap.Existing, Itself: true, UID: "1"}}, missing, fault.Refused},
		"no record":                        {nil, missing, fault.Failed},
		"another error":                    {&Record{Bootstrap: lab}, errors.New("x"), fault.Failed},
	} {
		d := &Delete{record: tt.rec, host: Host{Sink: event.Discard{}}}
		if err := d.notFoundIsDone(t.Context(), tt.err); fault.CodeOf(err) != tt.code || tt.code == fault.Refused && len(fault.Hints(err)) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
