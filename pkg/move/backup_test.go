// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

// TestBackupAndRestore writes clusters into a folder and brings them to another server: as they were, and the first server's still run.
func TestBackupAndRestore(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	a, b := connect(t, left), connect(t, right)
	heron := graph.Cluster("kept", "heron", graph.Version)
	heron[0].Object["spec"].(map[string]any)["paused"] = true // by a person
	objs := append(heron, graph.Cluster("kept", "egret", graph.Version)...)
	if err := graph.Load(ctx, left.REST, objs); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, a, graph.Version, "kept") })
	before := look(t, a, graph.Version, "kept")
	// A stand-in for encryption: what matters here is that Secrets, and only they, go through it both ways.
	mark := []byte("sealed:")
	seal := func(data []byte) ([]byte, error) { return append(bytes.Clone(mark), data...), nil }
	open := func(data []byte) ([]byte, error) { return bytes.TrimPrefix(data, mark), nil }
	for name, c := range map[string]struct {
		seal, open func([]byte) ([]byte, error)
		change     func(t *testing.T, dir string)
	}{
		"plain":             {},
		"Secrets encrypted": {seal: seal, open: open},
		"as upstream writes it": {change: func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Remove(filepath.Join(dir, manifestName)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "backup")
			for range 2 { // the second replaces the first
				r, err := Backup(ctx, BackupOptions{Source: a, Scope: plan.Scope{Namespaces: []string{"kept"}}, Dir: dir, Encrypt: c.seal})
				if err != nil {
					t.Fatal(err)
				}
				if r.Objects != 58 || r.Requests.Source.Writes() != 0 {
					t.Errorf("%d objects, %d writes", r.Objects, r.Requests.Source.Writes())
				}
			}
			sameWorld(t, "the source after a backup", before, look(t, a, graph.Version, "kept"))
			for _, f := range filesIn(t, dir) {
				info, err := os.Stat(f)
				if err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: mode %v, %v", f, info.Mode(), err)
				}
			}
			if c.change != nil {
				c.change(t, dir)
			}
			if c.seal != nil {
				if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir}); exitCode(err) != 2 || !strings.Contains(err.Error(), "--identity") {
					t.Errorf("without a key: %v", err)
				}
			}
			if _, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Decrypt: c.open}); err != nil {
				t.Fatal(err)
			}
			sameWorld(t, "restored", before, look(t, b, graph.Version, "kept"))
			_, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir, Decrypt: c.open})
			if exitCode(err) != 4 || !strings.Contains(err.Error(), "is on the target already") {
				t.Errorf("restored twice: %v", err)
			}
			clear(t, b, graph.Version, "kept")
		})
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

// TestBackupsThatAreNone are refused before anything is asked of the target.
func TestBackupsThatAreNone(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, time.Minute)
	a, b := connect(t, left), connect(t, right)
	if err := graph.Load(ctx, left.REST, graph.Cluster("broken", "heron", graph.Version)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, a, graph.Version, "broken") })
	for name, c := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"damaged file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "Secret__broken_heron-ca.yaml"), []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: heron-ca, namespace: broken}\n"), 0o600)
		}, "checksum"},
		"missing file": {func(dir string) error { return os.Remove(filepath.Join(dir, "Secret__broken_heron-ca.yaml")) }, "isn't whole"},
		"no objects":   {func(dir string) error { return os.RemoveAll(dir) }, "no such file"},
		"other format": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, manifestName), []byte("version: v9\n"), 0o600)
		}, "v9"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "backup")
			if _, err := Backup(ctx, BackupOptions{Source: a, Scope: plan.Scope{Namespaces: []string{"broken"}}, Dir: dir}); err != nil {
				t.Fatal(err)
			}
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			before := b.Requests()
			_, err := Restore(ctx, RestoreOptions{Target: b, Dir: dir})
			if exitCode(err) != 2 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if n := b.Requests().Sub(before); n.Total != 0 {
				t.Errorf("the target was asked: %s", n)
			}
		})
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Backup(ctx, BackupOptions{Source: a, Scope: plan.Scope{All: true}, Dir: dir}); exitCode(err) != 2 || !strings.Contains(err.Error(), "isn't empty") {
		t.Errorf("a folder with something else in it: %v", err)
	}
}

// TestRestoreKilled kills a restore at some of its requests and runs it again.
func TestRestoreKilled(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 3*time.Minute)
	a, b := connect(t, left), connect(t, right)
	if err := graph.Load(ctx, left.REST, graph.Cluster("again", "heron", graph.Version)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, a, graph.Version, "again") })
	before := look(t, a, graph.Version, "again")
	dir := filepath.Join(t.TempDir(), "backup")
	if _, err := Backup(ctx, BackupOptions{Source: a, Scope: plan.Scope{Namespaces: []string{"again"}}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for at := 5; ; at += 17 {
		for _, after := range []bool{false, true} {
			g := &guillotine{at: at, after: after}
			alive := func(Identity) bool { return false }
			_, err := Restore(ctx, RestoreOptions{Target: g.client(t, right), Dir: dir, Alive: alive})
			if err != nil {
				_, err = Restore(ctx, RestoreOptions{Target: b, Dir: dir, Alive: alive})
				if exitCode(err) == 4 { // killed after its very last write
					err = nil
				}
			}
			if err != nil {
				t.Fatalf("killed at %d, after=%v: %v", at, after, err)
			}
			sameWorld(t, "restored", before, look(t, b, graph.Version, "again"))
			clear(t, b, graph.Version, "again")
			if !g.fallen {
				return
			}
		}
	}
}
