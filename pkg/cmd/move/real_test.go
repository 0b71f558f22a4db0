// SPDX-License-Identifier: Apache-2.0

package move

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file, times and counts of requests left out.
func golden(t *testing.T, name, got string) {
	t.Helper()
	for pattern, mask := range map[string]string{
		`Took [0-9ms.]+`: "Took TIME", `[0-9]+ requests?`: "N requests", `"seconds": [0-9.e-]+`: `"seconds": 0`, `"(source|target)": [0-9]+`: `"$1": 0`,
		`"id": "[a-z0-9]+"`: `"id": "ID"`, `/[^" ]*/(moves|backup)`: "FOLDER/$1", `(moves/)[a-z0-9]+`: "${1}ID", `https://127.0.0.1:[0-9]+`: "https://HOST",
		`[0-9-]+ [0-9:]+Z`: "DATE", `"started": "[^"]+"`: `"started": "DATE"`,
	} {
		got = regexp.MustCompile(pattern).ReplaceAllString(got, mask)
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got), -update rewrites it:\n%s", path, d)
	}
}

// TestMoveForReal types commands against two real API servers, and reads what a person would.
func TestMoveForReal(t *testing.T) {
	t.Parallel()
	a, b := testenv.Start(t), testenv.Start(t)
	for _, e := range []*testenv.Env{a, b} {
		e.Seed(t, graph.CRDs(graph.Version))
	}
	objs := append(graph.Cluster("team-a", "heron", graph.Version), graph.Cluster("team-b", "egret", graph.Version)...)
	if err := graph.Load(t.Context(), a.REST, objs); err != nil {
		t.Fatal(err)
	}
	a.Seed(t, `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondMachineTemplate
metadata: {name: nobodys, namespace: team-a}
spec: {}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PondIdentity
metadata: {name: shared}
spec: {}
`)
	dir := t.TempDir()
	env := map[string]string{"HOME": dir, "KUBECONFIG": a.Kubeconfig, "USER": "me"}
	to := []string{"--to-kubeconfig", b.Kubeconfig}
	back := filepath.Join(dir, "backup")
	// succeed wants a command to do so.
	succeed := func(t *testing.T, args ...string) (stdout, stderr string) {
		t.Helper()
		out, errOut, err := callWith(t, env, args...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, errOut)
		}
		return out, errOut
	}

	for name, args := range map[string][]string{
		"plan-table": {"--dry-run", "heron", "-n", "team-a"}, "plan-wide": {"--dry-run", "team-a/heron", "-o", "wide"},
		"plan-json": {"--dry-run", "-n", "team-a", "-o", "json"}, "plan-name": {"--dry-run", "-n", "team-b", "-o", "name"}, "plan-yaml": {"--dry-run", "heron", "-n", "team-a", "-o", "yaml"},
	} {
		out, _ := succeed(t, args...)
		golden(t, name, out)
	}
	_, notes := succeed(t, append([]string{"--dry-run", "heron", "-n", "team-a"}, to...)...)
	for _, want := range []string{
		"1 cluster, 29 objects in 1 namespace: 5 Secret, 5 KubeadmConfig, 1 KubeadmConfigTemplate, 1 Cluster",
		"1 cluster goes on on the source: team-b/egret", //nolint:dupword // two words
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is missing in %s", want, notes)
		}
	}

	// a fault comes behind the plan
	b.Seed(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n---\napiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: heron, namespace: team-a}\nspec: {other: true}\n")
	out, _, err := callWith(t, env, append([]string{"--dry-run", "-n", "team-a", "-o", "json"}, to...)...)
	var doc planDocument
	if fault.CodeOf(err) != fault.Refused || json.Unmarshal([]byte(out), &doc) != nil || len(doc.Objects) != 30 || len(doc.Faults) != 1 {
		t.Errorf("%v, %d objects, faults %q", err, len(doc.Objects), doc.Faults)
	}
	out, _, err = callWith(t, env, append([]string{"heron", "-n", "team-a"}, to...)...)
	if fault.CodeOf(err) != fault.Refused || out != "" {
		t.Errorf("got %v, output %q", err, out)
	}
	second := map[string]string{"HOME": dir, "KUBECONFIG": b.Kubeconfig}

	// files, for a key and back
	out, _ = succeed(t, "--to-directory", back, "-n", "team-b", "--encrypt-to", "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj")
	golden(t, "backup", out)
	out, _ = succeed(t, "--to-directory", back, "-n", "team-b", "-o", "json")
	golden(t, "backup-json", out)
	out, _ = succeed(t, "--from-directory", back, "--dry-run")
	golden(t, "restore-plan", out)
	out, warned := succeed(t, append([]string{"--from-directory", back}, to...)...)
	golden(t, "restore", out)
	if !strings.Contains(warned, "must never run controllers for these clusters again") {
		t.Errorf("no warning: %s", warned)
	}
	out, _ = succeed(t, append([]string{"--from-directory", back}, to...)...)
	golden(t, "restore-again", out)

	// nothing is under way
	if out, errOut := succeed(t, "status"); out != "" || !strings.Contains(errOut, "No move is under way.") {
		t.Errorf("status: %q, %q", out, errOut)
	}
	_, _, err = callWith(t, second, "--rollback", "--kubeconfig", a.Kubeconfig, "--to-kubeconfig", b.Kubeconfig)
	if fault.CodeOf(err) != fault.Refused || !strings.Contains(err.Error(), "no move to roll back") {
		t.Errorf("got %v", err)
	}

	// a third server takes what is left
	c := testenv.Start(t)
	c.Seed(t, graph.CRDs(graph.Version))
	out, _ = succeed(t, "heron", "-n", "team-a", "--to-kubeconfig", c.Kubeconfig)
	golden(t, "report", out)
	out, _ = succeed(t, "-o", "json", "--to-kubeconfig", c.Kubeconfig)
	golden(t, "report-json", out)
}
