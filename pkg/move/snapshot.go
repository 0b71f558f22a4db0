// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

const spaceHint = "free some space, or set CLUSTERCTL_STATE_HOME to a directory that you may write to"

// PartEnd is the end of the name of a snapshot that isn't whole yet.
const PartEnd = ".part"

// snapshot keeps all objects, as they were before the move paused them, with their status, in one file that only its owner can read: a line of JSON each, and a last
// line that says that it is whole. It is written before the first object is copied.
func (m *mover) snapshot() error {
	if m.o.StateDir == "" {
		return nil
	}
	if m.journal.Snapshot != "" && m.journal.Inventory > 0 {
		return m.kept()
	}
	if err := os.MkdirAll(m.o.StateDir, 0o700); err != nil {
		return fmt.Errorf("keep a snapshot: %w", err)
	}
	path := filepath.Join(m.o.StateDir, m.journal.ID+snapshotEnd)
	if err := m.writeSnapshot(path); err != nil {
		return fault.WithHint(fmt.Errorf("keep a snapshot in %s: %w", path, err), spaceHint)
	}
	m.journal.Snapshot = path
	return m.kept()
}

// keepable wants the place for the snapshot to take a file, before anything is stopped. It leaves nothing behind, not even a folder.
func (m *mover) keepable(faults *fault.List) {
	dir := m.o.StateDir
	if dir == "" {
		return
	}
	for {
		_, err := os.Stat(dir)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := cause(atomicfile.Probe(dir)); err != nil {
		faults.Add(fault.WithHint(fault.Refusedf("no snapshot could be kept in %s: %w", m.o.StateDir, err),
			spaceHint))
	}
}

// cause leaves out a path that says nothing to anybody.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// kept tells of the file.
func (m *mover) kept() error {
	if m.o.Kept == nil {
		return nil
	}
	return m.o.Kept(m.journal.Snapshot)
}

func (m *mover) writeSnapshot(path string) (err error) {
	f, err := os.OpenFile(path+PartEnd, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(path + PartEnd)
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	sum := sha256.New()
	enc := json.NewEncoder(io.MultiWriter(w, sum))
	ours := make(map[plan.Key]PausedObject, len(m.journal.Paused))
	for _, p := range m.journal.Paused {
		ours[p.Key] = p
	}
	for _, o := range m.plan.Objects {
		u := o.Source
		if p, ok := ours[o.Key]; ok {
			u = p.before(u)
		}
		if err := enc.Encode(u.Object); err != nil {
			return err
		}
	}
	end := lastLine{&wholeness{Objects: len(m.plan.Objects), SHA256: hex.EncodeToString(sum.Sum(nil))}}
	if err := json.NewEncoder(w).Encode(end); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(path+PartEnd, path)
}
