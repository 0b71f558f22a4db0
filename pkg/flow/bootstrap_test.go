// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/paths"
)

// recordedKind makes the record of a kind bootstrap cluster.
func recordedKind(t *testing.T, name string) paths.Dirs {
	t.Helper()
	dirs := paths.Dirs{State: t.TempDir(), Cache: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(dirs.State, "kind", name), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"kind":"clusterctl-kind-bootstrap","version":1,"name":"` + name + `","cluster":"clusterctl-x-1","engine":"docker"}`
	if err := os.WriteFile(filepath.Join(dirs.State, "kind", name, "kind.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dirs
}

func TestChooseBootstrap(t *testing.T) {
	t.Parallel()
	answers := func() (string, error) { return "podman", nil }
	silent := func() (string, error) { return "", errors.New("permission denied") }
	for name, tt := range map[string]struct {
		o      BootstrapOptions
		engine func() (string, error)
		want   BootstrapRecord
		why    string
		bad    string
	}{
		"an engine answers":  {engine: answers, want: BootstrapRecord{Type: bootstrap.Kind, Name: "heron", Made: true}, why: "podman answers"},
		"auto by name":       {o: BootstrapOptions{Type: Auto, Name: "pond"}, engine: answers, want: BootstrapRecord{Type: bootstrap.Kind, Name: "pond", Made: true}, why: "podman answers"},
		"none answers":       {engine: silent, want: BootstrapRecord{Type: bootstrap.Local, Name: "heron", Made: true}, why: "permission denied"},
		"a kubeconfig":       {o: BootstrapOptions{Kubeconfig: "f"}, engine: answers, want: BootstrapRecord{Type: bootstrap.Existing, Kubeconfig: "f"}, why: "kubeconfig was given"},
		"kind by its option": {o: BootstrapOptions{Kind: KindOptions{Image: "x"}}, engine: silent, want: BootstrapRecord{Type: bootstrap.Kind, Name: "heron", Made: true}, why: "options for kind"},
		"local":              {o: BootstrapOptions{Type: bootstrap.Local}, engine: answers, want: BootstrapRecord{Type: bootstrap.Local, Name: "heron", Made: true}},
		"it is there":        {o: BootstrapOptions{Name: "there"}, engine: silent, want: BootstrapRecord{Type: bootstrap.Kind, Name: "there", Made: true}, why: "there already"},
		"simulated":          {o: BootstrapOptions{simulated: true}, engine: answers, want: BootstrapRecord{Type: bootstrap.Local, Name: "heron", Made: true}, why: "simulated"},
		"two at once":        {o: BootstrapOptions{Type: bootstrap.Kind, Kubeconfig: "f"}, bad: "also --bootstrap kind"},
		"kind's for local":   {o: BootstrapOptions{Type: bootstrap.Local, Kind: KindOptions{Config: "f"}}, bad: "of type local"},
		"kind's for another": {o: BootstrapOptions{Kubeconfig: "f", Kind: KindOptions{Config: "f"}}, bad: "of type existing"},
		"unknown":            {o: BootstrapOptions{Type: "minikube"}, bad: "minikube"},
	} {
		if local.Supported() != nil && tt.want.Type == bootstrap.Local && tt.o.Type == "" {
			continue
		}
		rec, why, err := ChooseBootstrap(tt.o, "heron", Host{Dirs: recordedKind(t, "there"), Engine: tt.engine})
		if tt.bad != "" {
			if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || rec != tt.want || !strings.Contains(why, tt.why) || strings.Contains(why, "\n") {
			t.Errorf("%s: %+v, %q, %v", name, rec, why, err)
		}
	}
}

func TestOpenBootstrap(t *testing.T) {
	t.Parallel()
	if local.Supported() != nil {
		t.Skip("NOT RUN: local bootstrap clusters don't run here")
	}
	host := Host{Dirs: recordedKind(t, "there")}
	for name, tt := range map[string]struct {
		name string
		o    BootstrapOptions
		want bootstrap.Type
	}{
		"the one that is there": {"there", BootstrapOptions{}, bootstrap.Kind},
		"a new one":             {"new", BootstrapOptions{}, bootstrap.Local},
		"by its type":           {"there", BootstrapOptions{Type: bootstrap.Local}, bootstrap.Local},
		"by its options":        {"new", BootstrapOptions{Kind: KindOptions{MountEngineSocket: true}}, bootstrap.Kind},
	} {
		b, err := OpenBootstrap(tt.name, tt.o, host)
		if err != nil || b.Type() != tt.want || b.Name() != tt.name {
			t.Errorf("%s: %v, %v", name, b, err)
		}
	}
	if names, err := BootstrapNames(host.Dirs); err != nil || len(names) != 1 || names[0] != "there" {
		t.Errorf("names: %v, %v", names, err)
	}
}

func TestKindOptionsOver(t *testing.T) {
	t.Parallel()
	old := KindOptions{Config: "/old.yaml", Image: "old", LoadImages: []string{"a"}, MountEngineSocket: true}
	got, err := KindOptions{}.over(old)
	if err != nil || got.Config != old.Config || got.Image != "old" || len(got.LoadImages) != 1 || !got.MountEngineSocket {
		t.Errorf("nothing given: %+v, %v", got, err)
	}
	got, err = KindOptions{Config: "new.yaml", LoadImages: []string{"registry/x:v1", "x.tar"}}.over(old)
	if err != nil || !filepath.IsAbs(got.Config) || got.LoadImages[0] != "registry/x:v1" || !filepath.IsAbs(got.LoadImages[1]) {
		t.Errorf("given: %+v, %v", got, err)
	}
}
