// SPDX-License-Identifier: Apache-2.0

package move

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
	"github.com/clusterctl/clusterctl/test/graph"
)

// fullDisk has room for so many bytes.
type fullDisk struct{ room atomic.Int64 }

func (d *fullDisk) create(path string) (file, error) {
	f, err := createFile(path)
	return &onFullDisk{f, d}, err
}

type onFullDisk struct {
	file
	disk *fullDisk
}

// Write writes what there is room for.
func (f *onFullDisk) Write(data []byte) (int, error) {
	if left := f.disk.room.Add(-int64(len(data))); left < 0 {
		n, _ := f.file.Write(data[:max(0, len(data)+int(left))])
		return n, &os.PathError{Op: "write", Path: "disk", Err: syscall.ENOSPC}
	}
	return f.file.Write(data)
}

// TestBackupsPlace is about what is in the folder when a backup fails, and beside it.
func TestBackupsPlace(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	c := connect(t, left)
	if err := graph.Load(ctx, left.REST, graph.Cluster("place", "heron", graph.Version)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clear(t, c, graph.Version, "place") })
	options := func(dir string) BackupOptions {
		return BackupOptions{Source: c, Scope: plan.Scope{Namespaces: []string{"place"}}, Dir: dir}
	}
	// first makes a backup, and returns its manifest's text.
	first := func(t *testing.T, dir string) string {
		t.Helper()
		if _, err := Backup(ctx, options(dir)); err != nil {
			t.Fatal(err)
		}
		return string(read(t, filepath.Join(dir, manifestName)))
	}
	alone := func(t *testing.T, dir string, want ...string) {
		t.Helper()
		var got []string
		for _, f := range filesIn(t, filepath.Dir(dir)) {
			got = append(got, filepath.Base(f))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("there are %v, want %v", got, want)
		}
	}

	t.Run("the disk is full", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "backup")
		for _, room := range []int64{0, 1, 5000, 20000} {
			o, disk := options(dir), &fullDisk{}
			disk.room.Store(room)
			o.create = disk.create
			_, err := Backup(ctx, o)
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "write backup "+dir) || exitCode(err) != 1 {
				t.Errorf("room %d: %v", room, err)
			}
			alone(t, dir)
		}
		before := first(t, dir)
		o, disk := options(dir), &fullDisk{}
		o.create = disk.create
		if _, err := Backup(ctx, o); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
		if got := string(read(t, filepath.Join(dir, manifestName))); got != before {
			t.Error("the earlier backup isn't what it was")
		}
		alone(t, dir, "backup")
	})
	t.Run("cancelled", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "backup")
		o := options(dir)
		within, stop := context.WithCancel(ctx)
		o.create = func(path string) (file, error) { stop(); return createFile(path) }
		if _, err := Backup(within, o); exitCode(err) != 130 {
			t.Errorf("got %v", err)
		}
		alone(t, dir)
	})
	t.Run("killed while writing", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "backup")
		before := first(t, dir)
		left := filepath.Join(filepath.Dir(dir), ".backup.part-1")
		if err := os.Mkdir(left, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(left, lockName), nil)
		write(t, filepath.Join(left, "Secret__a_b.yaml"), []byte("secret"))
		if _, err := readDirectory(left, nil); err == nil || !strings.Contains(err.Error(), "isn't whole") {
			t.Errorf("what is left passes for a backup: %v", err)
		}
		time.Sleep(time.Second) // the time of the backup is told in seconds
		if first(t, dir) == before {
			t.Error("it isn't replaced")
		}
		alone(t, dir, "backup")
	})
	t.Run("another one writes", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "backup")
		other := filepath.Join(filepath.Dir(dir), ".backup.part-1")
		if err := os.Mkdir(other, 0o700); err != nil {
			t.Fatal(err)
		}
		l := flock.New(filepath.Join(other, lockName))
		if ok, err := l.TryLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if _, err := Backup(ctx, options(dir)); exitCode(err) != 4 || !strings.Contains(err.Error(), "at this moment") {
			t.Errorf("got %v", err)
		}
		_ = l.Unlock()
	})
	t.Run("killed between two places", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "backup")
		before := first(t, dir)
		aside := filepath.Join(filepath.Dir(dir), ".backup.old")
		if err := os.Rename(dir, aside); err != nil {
			t.Fatal(err)
		}
		if _, err := readDirectory(dir, nil); err == nil || exitCode(err) != 2 {
			t.Errorf("got %v", err)
		}
		if got, err := backupDir(dir); err != nil || got != dir || string(read(t, filepath.Join(dir, manifestName))) != before {
			t.Errorf("not put back: %q, %v", got, err)
		}
		if err := os.CopyFS(aside, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		first(t, dir)
		alone(t, dir, "backup")
	})
	t.Run("where folders can't be exchanged", func(t *testing.T) {
		root := t.TempDir()
		for _, name := range []string{"a", "b"} {
			if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(root, name, name), nil)
		}
		if err := setAside(filepath.Join(root, "a"), filepath.Join(root, "b")); err != nil {
			t.Fatal(err)
		}
		if got := filesIn(t, filepath.Join(root, "b")); len(got) != 1 || filepath.Base(got[0]) != "a" {
			t.Errorf("got %v", got)
		}
		alone(t, filepath.Join(root, "b"), "b")
	})
	t.Run("something else is there", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "precious"), nil)
		if _, err := Backup(ctx, options(dir)); exitCode(err) != 4 || !strings.Contains(err.Error(), "isn't empty") {
			t.Errorf("got %v", err)
		}
		write(t, filepath.Join(dir, manifestName), []byte("version: v1\n")) // a whole backup of nothing, but not alone
		if _, err := Backup(ctx, options(dir)); exitCode(err) != 4 {
			t.Errorf("got %v", err)
		}
		if _, err := Backup(ctx, options(filepath.Join(dir, "no", "such"))); exitCode(err) != 2 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "backup")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Backup(ctx, options(path)); exitCode(err) != 2 || !strings.Contains(err.Error(), "is not a folder") || len(fault.Hints(err)) == 0 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an empty folder, and a link", func(t *testing.T) {
		root := t.TempDir()
		dir, link := filepath.Join(root, "there"), filepath.Join(root, "link")
		if err := errors.Join(os.Mkdir(dir, 0o755), os.Symlink(dir, link)); err != nil {
			t.Fatal(err)
		}
		first(t, link)
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || !isBackup(dir) {
			t.Errorf("the link is replaced: %v, %v", info, err)
		}
	})
}

// TestWhichBackupIsReplaced: what may be the only copy of something isn't replaced.
func TestWhichBackupIsReplaced(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old, next []string
		uid       string
		spoil     func(string) error // one of the old backup's files
		refused   bool
		says      string
	}{
		"the same, grown":    {old: []string{"heron"}, next: []string{"egret", "heron"}, says: "replacing the backup made 2026-01-02T03:04:05Z, with 1 object"},
		"one is lost":        {old: []string{"egret", "heron"}, next: []string{"heron"}, refused: true, says: "1 cluster that the new one would lack: Cluster_cluster.x-k8s.io_default_egret.yaml"},
		"nothing any more":   {old: []string{"heron"}, refused: true, says: "default_heron.yaml"},
		"another cluster's":  {old: []string{"heron"}, next: []string{"heron"}, uid: "2", refused: true, says: "https://pond, made 2026-01-02T03:04:05Z"},
		"a file is gone":     {old: []string{"heron"}, next: []string{"heron"}, spoil: os.Remove, refused: true, says: "changed since: Cluster_"},
		"a file was changed": {old: []string{"heron"}, next: []string{"heron"}, spoil: func(f string) error { return os.WriteFile(f, []byte("edited"), 0o600) }, refused: true, says: "changed since: Cluster_"},
		"there wasn't one":   {next: []string{"heron"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			old := &contents{Version: backupVersion, Made: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Source: Side{Host: "https://pond", UID: "1"}, Objects: len(tt.old), Files: map[string]string{}}
			for _, o := range clustersCalled(tt.old).Objects {
				sum := sha256.Sum256([]byte(o.Name))
				old.Files[fileName(o)] = hex.EncodeToString(sum[:])
				if err := os.WriteFile(filepath.Join(dir, fileName(o)), []byte(o.Name), 0o600); err != nil {
					t.Fatal(err)
				}
				if tt.spoil != nil {
					if err := tt.spoil(filepath.Join(dir, fileName(o))); err != nil {
						t.Fatal(err)
					}
				}
			}
			if text, err := json.Marshal(old); err != nil || len(tt.old) > 0 && os.WriteFile(filepath.Join(dir, manifestName), text, 0o600) != nil {
				t.Fatal(err)
			}
			said := ""
			sink := event.Func(func(e event.Event) { said += e.Message })
			err := replacing(dir, &contents{Source: Side{UID: cmp.Or(tt.uid, "1")}}, clustersCalled(tt.next), sink)
			if err != nil {
				said = err.Error()
			}
			if (fault.CodeOf(err) == fault.Refused) != tt.refused || err != nil != tt.refused || !strings.Contains(said, tt.says) {
				t.Errorf("%v, says %q, want %q", err, said, tt.says)
			}
		})
	}
}

// clustersCalled is a plan with Clusters alone.
func clustersCalled(names []string) *plan.Plan {
	p := &plan.Plan{}
	for _, name := range names {
		p.Objects = append(p.Objects, &plan.Object{Key: plan.Key{GroupKind: capi.ClusterGK(), Namespace: "default", Name: name}})
	}
	return p
}
