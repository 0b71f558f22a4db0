// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/cache"
	"github.com/clusterctl/clusterctl/test/tools/parts/internal/pins"
)

// planner is a planner of this source tree, with a cache folder of its own.
func planner(t *testing.T) Planner {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := pins.Locate("", dir)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := ReadVersions(tools)
	if err != nil {
		t.Fatal(err)
	}
	return Planner{Dir: cache.Dir(t.TempDir()), Tools: tools, Versions: versions, Arch: "amd64"}
}

func names(parts []Part) []string {
	var names []string
	for _, part := range parts {
		names = append(names, part.Name)
	}
	return names
}

func TestPartsInOrder(t *testing.T) {
	t.Parallel()
	parts, err := planner(t).Parts()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"etcd", "kube-apiserver", "kube-controller-manager",
		"core-manager", "kubeadm-bootstrap-manager", "kubeadm-control-plane-manager", "capd-manager",
		"repository", "images", "kubectl", "clusterctl-upstream",
	}
	ordinary, err := Select(parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, names(ordinary)); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestNodePartsAreMadeWhereNamed(t *testing.T) {
	t.Parallel()
	parts, err := planner(t).Parts()
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := Select(parts, []string{GroupNode})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"kube-scheduler", "kube-proxy", "kubeadm", "kubelet", "coredns", "crictl", "pause", "cni", "runc",
		"node-filesystems", "node-system-images", "haproxy-image", "cni-addon", "provider-archives",
	}
	if diff := cmp.Diff(want, names(nodes)); diff != "" {
		t.Errorf("parts of nodes (-want +got):\n%s", diff)
	}
}

func TestCertManagerIsMadeWhereNamed(t *testing.T) {
	t.Parallel()
	parts, err := planner(t).Parts()
	if err != nil {
		t.Fatal(err)
	}
	made, err := Select(parts, []string{GroupCertManager})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cert-manager-controller", "cert-manager-webhook", "cert-manager-cainjector", "cert-manager-archives", "cert-manager-manifest",
	}
	if diff := cmp.Diff(want, names(made)); diff != "" {
		t.Errorf("parts of cert-manager (-want +got):\n%s", diff)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	parts := []Part{{Name: "a", Group: "x"}, {Name: "b", Group: "x"}, {Name: "c", Group: "c"}}
	for _, test := range []struct {
		name string
		only []string
		want []string
	}{
		{"all", nil, []string{"a", "b", "c"}},
		{"a group", []string{"x"}, []string{"a", "b"}},
		{"names, in the list's order", []string{"c", "b"}, []string{"b", "c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Select(parts, test.only)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, names(got)); diff != "" {
				t.Errorf("Select() (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := Select(parts, []string{"a", "nope"}); err == nil || !strings.Contains(err.Error(), "a, b, c, x") {
		t.Errorf("Select() of an unknown name = %v, want an error that lists a, b, c, x", err)
	}
}

func TestVersionVariables(t *testing.T) {
	t.Parallel()
	want := []string{"p.gitVersion=v1.34.4", "p.gitMajor=1", "p.gitMinor=34", "p.gitTreeState=clean"}
	if diff := cmp.Diff(want, versionVariables("p", "v1.34.4")); diff != "" {
		t.Errorf("versionVariables() (-want +got):\n%s", diff)
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	dir := cache.Dir(t.TempDir())
	file := filepath.Join(string(dir), "file")
	made, failure := 0, error(nil)
	part := Part{Name: "part", Inputs: []string{"1"}, Outputs: []string{file}, Make: func(context.Context) (string, error) {
		made++
		if failure != nil {
			return "", failure
		}
		return "test", dir.WriteFile(file, []byte("x"), 0o644)
	}}
	var out bytes.Buffer
	run := func(wantMade int, wantError bool) {
		t.Helper()
		err := Build(t.Context(), dir, []Part{part}, &out)
		if (err != nil) != wantError || made != wantMade {
			t.Errorf("Build() = %v after %d makes, want error %v, %d makes", err, made, wantError, wantMade)
		}
	}
	run(1, false)
	run(1, false) // Cached.
	part.Inputs = []string{"2"}
	failure = errors.New("broken")
	run(2, true)
	run(3, true) // A failed part isn't taken for complete, though the old file is there.
	failure = nil
	run(4, false)
	if got := strings.Fields(out.String())[1]; got != "test" {
		t.Errorf("first line says %q, want how the part was made", got)
	}
}
