// SPDX-License-Identifier: Apache-2.0

package move

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// backupDir wants a folder that may be made or replaced, and returns where it really is. An earlier backup that was put aside by
// a run that was killed then goes back to its place.
func backupDir(dir string) (string, error) {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fault.WithCode(fault.Usage, err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); err != nil {
		return "", fault.WithHint(fault.WithCode(fault.Usage, err), "mkdir -p %s", filepath.Dir(dir))
	}
	if err := putBack(dir); err != nil {
		return "", fault.WithCode(fault.Usage, err)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dir, nil
	case errors.Is(err, syscall.ENOTDIR):
		return "", fault.WithHint(fault.Usagef("%s is not a folder", dir), "name a folder; it may be new")
	case err != nil:
		return "", fault.WithCode(fault.Usage, err)
	case len(entries) == 0:
		return dir, nil
	}
	if !replaceable(dir, entries) {
		return "", fault.WithHint(fault.Refusedf("%s isn't empty, and holds something else than a whole backup that could be replaced", dir), "name another folder")
	}
	return dir, nil
}

// replaceable says whether all that is in a folder are an earlier backup's files. Whatever somebody put beside them is nobody else's to
// delete.
func replaceable(dir string, entries []fs.DirEntry) bool {
	man, err := readManifest(dir)
	if err != nil || man == nil {
		return false
	}
	for _, e := range entries {
		if _, ours := man.Files[e.Name()]; !ours && e.Name() != manifestName && e.Name() != lockName {
			return false
		}
	}
	return true
}

// replacing says which backup goes for a new one. One that may be the only copy of something isn't replaced: that of another management
// cluster, one that holds clusters that the new one lacks, and one that somebody has changed.
func replacing(dir string, next *contents, p *plan.Plan, sink event.Sink) error {
	old, err := readManifest(dir)
	if err != nil || old == nil {
		return nil //nolint:nilerr // backupDir has looked at what is there
	}
	made := old.Made.Format(time.RFC3339)
	const hint = "name another folder, or move that one away"
	if old.Source.UID != next.Source.UID {
		return fault.WithHint(fault.Refusedf("%s holds the backup of another management cluster (%s, made %s), which may be the only one", dir, old.Source.Host, made), hint)
	}
	if lost := missingClusters(old, p); len(lost) > 0 {
		return fault.WithHint(fault.Refusedf("%s holds a backup, made %s, with %s that the new one would lack: %s; it may be the only copy", dir, made, event.Count(len(lost), "cluster"), first(lost, 3)), hint)
	}
	if changed := old.changed(dir); len(changed) > 0 {
		return fault.WithHint(fault.Refusedf("%s holds a backup, made %s, that was changed since: %s", dir, made, first(changed, 3)), hint)
	}
	event.Notef(sink, "replacing the backup made %s, with %s", made, event.Count(old.Objects, "object"))
	return nil
}

// missingClusters names the files of Clusters in a backup that a plan doesn't have.
func missingClusters(old *contents, p *plan.Plan) []string {
	now := map[string]bool{}
	for _, o := range p.Clusters() {
		now[fileName(o)] = true
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(old.Files)) {
		gk := capi.ClusterGK()
		if strings.HasPrefix(name, gk.Kind+"_"+gk.Group+"_") && !now[name] {
			out = append(out, name)
		}
	}
	return out
}

// changed names the files that aren't what they were when the backup was made.
func (man *contents) changed(dir string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(man.Files)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if sum := sha256.Sum256(data); err != nil || man.Files[name] != hex.EncodeToString(sum[:]) {
			out = append(out, name)
		}
	}
	return out
}

// part is the folder in which a backup is written until it is whole. A lock in it tells one that is being written from what a
// killed run left.
type part struct {
	path string
	lock *flock.Flock
}

const (
	partMiddle = ".part-"
	oldEnd     = ".old"
	lockName   = ".lock"
)

func hidden(dir, end string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+end)
}

// newPart makes one, after it took away those that nobody writes any more.
func newPart(dir string) (*part, error) {
	prefix := "." + filepath.Base(dir) + partMiddle
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(filepath.Dir(dir), e.Name())
		p := &part{path: path, lock: flock.New(filepath.Join(path, lockName))}
		if free, err := p.lock.TryLock(); err == nil && !free {
			return nil, fault.Refusedf("another backup is being written to %s at this moment", dir)
		}
		p.remove()
	}
	path, err := os.MkdirTemp(filepath.Dir(dir), prefix)
	if err != nil {
		return nil, fault.WithHint(fmt.Errorf("make %s: %w", dir, cause(err)), "name a folder in a place that you may write to, with space left")
	}
	p := &part{path: path, lock: flock.New(filepath.Join(path, lockName), flock.SetPermissions(0o600))}
	if ok, err := p.lock.TryLock(); err != nil || !ok {
		p.remove()
		return nil, errors.Join(fmt.Errorf("lock %s", path), err)
	}
	return p, nil
}

func (p *part) unlock() {
	if p.lock != nil {
		_ = p.lock.Unlock()
		_ = os.Remove(filepath.Join(p.path, lockName))
		p.lock = nil
	}
}

// remove takes away what is at the part's place: the half-written new backup, or the old one after both changed places.
func (p *part) remove() {
	p.unlock()
	_ = os.RemoveAll(p.path)
}

// takePlace puts a whole backup where it belongs. At every moment one is there, the old or the new one; where a system can't exchange
// two folders, the old one stands aside for a moment, under a name that [putBack] knows.
func takePlace(path, dir string) error {
	err := os.Remove(dir) // an empty one
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return os.Rename(path, dir)
	}
	err = exchange(path, dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return setAside(path, dir)
	}
	return err
}

func setAside(path, dir string) error {
	old := hidden(dir, oldEnd)
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(path, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// putBack mends what a run left that was killed in the middle of takePlace.
func putBack(dir string) error {
	old := hidden(dir, oldEnd)
	if man, err := readManifest(old); err != nil || man == nil {
		return nil //nolint:nilerr // not a backup of ours
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(old, dir)
	}
	if man, err := readManifest(dir); err == nil && man != nil {
		return os.RemoveAll(old)
	}
	return nil
}

// syncDir brings a folder's names to the disk, where a system has that.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
