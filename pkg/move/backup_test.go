// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

// sealed is real encryption for one key.
func sealed(t *testing.T) (encrypt, decrypt func([]byte) ([]byte, error)) {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return func(data []byte) ([]byte, error) { return kubeconfig.Encrypt(data, []age.Recipient{key.Recipient()}) },
		func(data []byte) ([]byte, error) {
			r, err := age.Decrypt(armor.NewReader(bytes.NewReader(data)), key)
			if err != nil {
				return nil, err
			}
			return io.ReadAll(r)
		}
}

// kept loads two clusters, of which a person has paused one, a Secret that nothing leads to, and numbers that a float64 can't hold.
func kept(t *testing.T, ctx context.Context, ns string) (c *kube.Client, before world) {
	t.Helper()
	heron := graph.Cluster(ns, "heron", graph.Version)
	heron[0].Object["spec"].(map[string]any)["paused"] = true
	heron[1].Object["spec"].(map[string]any)["large"] = int64(9007199254740993)
	heron[1].Object["spec"].(map[string]any)["odd"] = []any{"yes", "0755", "1e3", "~", " a\n b: c\n", "#\t\u2028", ""}
	extra := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"a": "Yg=="}}}
	extra.SetAPIVersion("v1")
	extra.SetKind("Secret")
	extra.SetNamespace(ns)
	extra.SetName("registry")
	objs := append(append(heron, graph.Cluster(ns, "egret", graph.Version)...), extra)
	if err := graph.Load(ctx, left.REST, objs); err != nil {
		t.Fatal(err)
	}
	c = connect(t, left)
	t.Cleanup(func() { clear(t, c, graph.Version, ns) })
	return c, look(t, c, graph.Version, ns)
}

// TestBackupAndRestore writes clusters into a folder and brings them to another server: as they were, and the first server's still run.
func TestBackupAndRestore(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	a, before := kept(t, ctx, "kept")
	b := connect(t, right)
	seal, open := sealed(t)
	for name, c := range map[string]struct {
		seal, open func([]byte) ([]byte, error)
		change     func(t *testing.T, dir string) string
	}{
		"plain":                 {},
		"Secrets encrypted":     {seal: seal, open: open},
		"as upstream writes it": {change: asUpstream},
		"as a move's snapshot":  {change: asSnapshot},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "backup")
			for range 2 { // the second replaces the first
				r, err := Backup(ctx, BackupOptions{Source: a, Scope: plan.Scope{Namespaces: []string{"kept"}, Include: []string{"Secret/registry"}}, Dir: dir, Encrypt: c.seal})
				if err != nil {
					t.Fatal(err)
				}
				if r.Objects != 59 || r.Requests.Source.Writes() != 0 {
					t.Errorf("%d objects, %d writes", r.Objects, r.Requests.Source.Writes())
				}
			}
			sameWorld(t, "the source after a backup", before, look(t, a, graph.Version, "kept"))
			private(t, dir, c.seal != nil)
			if c.change != nil {
				dir = c.change(t, dir)
			}
			if c.seal != nil {
				if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir}); exitCode(err) != 2 || !strings.Contains(err.Error(), "11 Secrets in "+dir+" are encrypted") {
					t.Errorf("without a key: %v", err)
				}
			}
			o := RestoreOptions{Target: b, Dir: dir, Decrypt: c.open}
			if _, err := PreviewRestore(ctx, o); err != nil {
				t.Fatal(err)
			}
			if got := look(t, b, graph.Version, "kept"); len(got) > 0 {
				t.Errorf("a preview made %d objects", len(got))
			}
			if _, err := Restore(ctx, o); err != nil {
				t.Fatal(err)
			}
			sameWorld(t, "restored", before, look(t, b, graph.Version, "kept"))
			r, err := Restore(ctx, o)
			if err != nil || r.AlreadyThere != 59 || r.Requests.Target.Writes() > 1 { // the question for rights counts as one
				t.Errorf("restored twice: %v, %+v", err, r)
			}
			clear(t, b, graph.Version, "kept")
		})
	}
}

// private wants nobody else to be able to read anything, nothing beside the folder, and only Secrets to be encrypted.
func private(t *testing.T, dir string, encrypted bool) {
	t.Helper()
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", dir, info.Mode(), err)
	}
	if names := filesIn(t, filepath.Dir(dir)); len(names) != 1 {
		t.Errorf("beside the folder: %v", names)
	}
	for _, f := range filesIn(t, dir) {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", f, info.Mode(), err)
		}
		if sealed := strings.HasSuffix(f, ".age"); sealed != (encrypted && strings.Contains(f, "/Secret_")) {
			t.Errorf("%s is encrypted: %v", f, sealed)
		}
		if strings.Contains(f, lockName) {
			t.Errorf("%s is left", f)
		}
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, filepath.Join(dir, e.Name()))
	}
	return out
}

// held is what an object looks like while a tool holds its cluster.
func held(t *testing.T, dir string, each func(u *unstructured.Unstructured, text []byte)) {
	t.Helper()
	for _, f := range filesIn(t, dir) {
		if filepath.Base(f) == manifestName {
			continue
		}
		objs, err := decodeFile(f, read(t, f), nil)
		if err != nil {
			t.Fatal(err)
		}
		u := objs[0]
		if u.GetKind() == "Cluster" && u.GetName() == "egret" {
			_ = unstructured.SetNestedField(u.Object, true, "spec", "paused")
			managers, _, _ := unstructured.NestedSlice(u.Object, "metadata", "managedFields")
			managers = append(managers, map[string]any{
				"manager": "clusterctl", "operation": "Update", "apiVersion": u.GetAPIVersion(), "fieldsType": "FieldsV1",
				"fieldsV1": map[string]any{"f:spec": map[string]any{"f:paused": map[string]any{}}},
			})
			_ = unstructured.SetNestedSlice(u.Object, managers, "metadata", "managedFields")
		}
		text, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		each(u, text)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// asUpstream makes the files that upstream's clusterctl v1.14 writes: JSON, no group in the name, every Cluster paused.
func asUpstream(t *testing.T, dir string) string {
	t.Helper()
	out := t.TempDir()
	held(t, dir, func(u *unstructured.Unstructured, text []byte) {
		write(t, filepath.Join(out, u.GetKind()+"_"+u.GetNamespace()+"_"+u.GetName()+".yaml"), text)
	})
	return out
}

// asSnapshot makes the file that a move keeps.
func asSnapshot(t *testing.T, dir string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "x7k2p.jsonl")
	var all []byte
	held(t, dir, func(_ *unstructured.Unstructured, text []byte) {
		all = append(append(all, bytes.TrimSpace(text)...), '\n')
	})
	write(t, out, sealLines(all))
	return out
}

// lessLines changes the lines of a snapshot.
func lessLines(change func([][]byte) [][]byte) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		t.Helper()
		f := asSnapshot(t, dir)
		lines := bytes.SplitAfter(read(t, f), []byte("\n"))
		write(t, f, bytes.Join(change(lines[:len(lines)-1]), nil))
		return f
	}
}

// sealLines ends a snapshot.
func sealLines(lines []byte) []byte {
	sum := sha256.Sum256(lines)
	return fmt.Appendf(lines, `{"snapshot":{"objects":%d,"sha256":"%x"}}`+"\n", bytes.Count(lines, []byte("\n")), sum)
}

// TestBackupsThatAreNone are refused before anything is asked of the target.
func TestBackupsThatAreNone(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, time.Minute)
	a, b := connect(t, left), connect(t, right)
	if err := graph.Load(ctx, left.REST, graph.Cluster("broken", "heron", graph.Version)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, a, graph.Version, "broken") })
	seal, _ := sealed(t)
	_, other := sealed(t)
	const ca = "Secret__broken_heron-ca.yaml"
	cutOff := func(t *testing.T, path string) { t.Helper(); data := read(t, path); write(t, path, data[:len(data)/2]) }
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string) string
		seal   bool
		want   string
	}{
		"changed file": {func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, ca), []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: heron-ca, namespace: broken}\n"))
			return dir
		}, false, "checksum"},
		"truncated file": {func(t *testing.T, dir string) string { cutOff(t, filepath.Join(dir, ca)); return dir }, false, "checksum"},
		"missing file":   {func(t *testing.T, dir string) string { _ = os.Remove(filepath.Join(dir, ca)); return dir }, false, "isn't whole any more: " + ca + " missing"},
		"no folder":      {func(t *testing.T, dir string) string { _ = os.RemoveAll(dir); return dir }, false, "no such file"},
		"empty folder":   {func(t *testing.T, _ string) string { return t.TempDir() }, false, "holds no objects"},
		"other format": {func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, manifestName), []byte("version: v9\n"))
			return dir
		}, false, "v9"},
		"no manifest": {func(t *testing.T, dir string) string { _ = os.Remove(filepath.Join(dir, manifestName)); return dir }, false, "isn't whole: it has no " + manifestName},
		"cut off, no sum": {func(t *testing.T, dir string) string {
			d := asUpstream(t, dir)
			cutOff(t, filepath.Join(d, "Secret_broken_heron-ca.yaml"))
			return d
		}, false, "heron-ca.yaml"},
		"twice": {func(t *testing.T, dir string) string {
			d := asUpstream(t, dir)
			write(t, filepath.Join(d, "again.yaml"), read(t, filepath.Join(d, "Secret_broken_heron-ca.yaml")))
			return d
		}, false, "Secret broken/heron-ca is in "},
		"cut off snapshot":               {func(t *testing.T, dir string) string { f := asSnapshot(t, dir); cutOff(t, f); return f }, false, "cut off"},
		"snapshot without its last line": {lessLines(func(l [][]byte) [][]byte { return l[:len(l)-1] }), false, "isn't whole: the last line, which says how many objects there are, is missing"},
		"snapshot without a line":        {lessLines(func(l [][]byte) [][]byte { return l[1:] }), false, ", and should hold "},
		"snapshot with another line":     {lessLines(func(l [][]byte) [][]byte { return append([][]byte{l[1], l[1]}, l[2:]...) }), false, "its checksum is another one"},
		"empty snapshot":                 {lessLines(func([][]byte) [][]byte { return nil }), false, "is empty"},
		"two snapshots": {func(t *testing.T, dir string) string {
			f := asSnapshot(t, dir)
			write(t, filepath.Join(filepath.Dir(f), "b.jsonl"), read(t, f))
			return filepath.Dir(f)
		}, false, "what of it is to be restored?"},
		"cut off manifest": {func(t *testing.T, dir string) string { cutOff(t, filepath.Join(dir, manifestName)); return dir }, false, "is damaged"},
		"another's key":    {func(_ *testing.T, dir string) string { return dir }, true, "did not match any of the recipients"},
	} {
		t.Run(name, func(t *testing.T) {
			o := BackupOptions{Source: a, Scope: plan.Scope{Namespaces: []string{"broken"}}, Dir: filepath.Join(t.TempDir(), "backup")}
			if c.seal {
				o.Encrypt = seal
			}
			if _, err := Backup(ctx, o); err != nil {
				t.Fatal(err)
			}
			dir := c.change(t, o.Dir)
			before := b.Requests()
			_, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Decrypt: other})
			if exitCode(err) != 2 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if n := b.Requests().Sub(before); n.Total != 0 {
				t.Errorf("the target was asked: %s", n)
			}
		})
	}
}

// TestManifestIsWhole cuts a manifest off at every line: no part of one passes for a whole one.
func TestManifestIsWhole(t *testing.T) {
	dir := t.TempDir()
	man := contents{
		Version: backupVersion, Made: time.Now(), Source: Side{"u", "h"}, Scope: "everything", Objects: 2, Kinds: map[string]int{"a": 2},
		Files: map[string]string{"a.yaml": "1", "b.yaml": "2"}, Namespaces: map[string]namespaceMeta{"n": {Labels: map[string]string{"a": "b"}}},
	}
	text, err := yaml.Marshal(man)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for n := range len(lines) - 1 {
		write(t, filepath.Join(dir, manifestName), bytes.Join(lines[:n], nil))
		if got, err := readManifest(dir); err == nil {
			t.Errorf("%d lines: %+v", n, got)
		}
	}
	write(t, filepath.Join(dir, manifestName), text)
	if got, err := readManifest(dir); err != nil || len(got.Files) != 2 {
		t.Errorf("whole: %+v, %v", got, err)
	}
}

// TestNoBackupInTheMiddleOfAMove: half of the objects would be missing.
func TestNoBackupInTheMiddleOfAMove(t *testing.T) {
	ctx := within(t, time.Minute)
	c := connect(t, left)
	t.Cleanup(func() { _ = deleteJournal(context.Background(), c) })
	for name, tc := range map[string]struct {
		j    Journal
		hint string
	}{
		"with a snapshot":            {Journal{Phase: PhaseReleasing, Snapshot: "/home/me/half.jsonl", By: Identity{Host: "here"}}, "finish it first with --resume; its snapshot is in /home/me/half.jsonl on here"},
		"while it can be undone":     {Journal{Phase: PhaseCopying, Snapshot: "/home/me/half.jsonl", By: Identity{Host: "here"}}, "undo it with --rollback; its snapshot is in /home/me/half.jsonl on here"},
		"of a host that isn't known": {Journal{Phase: PhaseReleasing, Snapshot: "/home/me/half.jsonl"}, "its snapshot is in /home/me/half.jsonl on the host that began it"},
		"before there is one":        {Journal{Phase: PhaseQuiescing, By: Identity{Host: "here"}}, "finish it first with --resume, or undo it with --rollback"},
	} {
		tc.j.ID, tc.j.Started = "half", time.Now()
		if err := writeJournal(ctx, c, &tc.j); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "backup")
		_, err := Backup(ctx, BackupOptions{Source: c, Scope: plan.Scope{All: true}, Dir: dir})
		if exitCode(err) != 4 || !strings.Contains(err.Error(), "the move half, begun") {
			t.Errorf("%s: got %v", name, err)
		}
		if hints := strings.Join(fault.Hints(err), "\n"); !strings.HasSuffix(hints, tc.hint) {
			t.Errorf("%s: hint %q, want %q", name, hints, tc.hint)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the folder: %v", name, err)
		}
	}
}

// TestToolsPause: what a tool paused goes on, what a person paused doesn't.
func TestToolsPause(t *testing.T) {
	entry := func(manager, fields string) any {
		var f any
		_ = json.Unmarshal([]byte(fields), &f)
		return map[string]any{"manager": manager, "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": f}
	}
	const spec = `{"f:spec":{"f:paused":{}}}`
	for name, c := range map[string]struct {
		managers []any
		paused   bool
		left     int
	}{
		"the tool's":                       {[]any{entry("manager", `{"f:spec":{"f:a":{}}}`), entry("clusterctl", spec)}, false, 1},
		"the tool's, beside something":     {[]any{entry("clusterctl", `{"f:spec":{"f:paused":{},"f:a":{}}}`)}, false, 1},
		"a person's":                       {[]any{entry("kubectl-patch", spec)}, true, 1},
		"a person's, beside of the tool's": {[]any{entry("kubectl-patch", spec), entry("clusterctl", `{"f:spec":{"f:a":{}}}`)}, true, 2},
		"nobody knows whose":               {nil, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "metadata": map[string]any{"name": "heron"}, "spec": map[string]any{"paused": true, "a": "b"}}}
			if c.managers != nil {
				_ = unstructured.SetNestedSlice(u.Object, c.managers, "metadata", "managedFields")
			}
			dropToolsPause(u)
			if paused, _, _ := unstructured.NestedBool(u.Object, "spec", "paused"); paused != c.paused || len(u.GetManagedFields()) != c.left {
				t.Errorf("paused: %v, managers: %v", paused, u.GetManagedFields())
			}
		})
	}
}
