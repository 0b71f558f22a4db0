// SPDX-License-Identifier: Apache-2.0

package move

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// Ends of names of files that hold objects.
const (
	snapshotEnd  = ".jsonl"
	encryptedEnd = ".age"
)

// directory is what was read out of a folder.
type directory struct {
	// named is what was asked for: a folder, or a file.
	named string
	// path is the folder, id tells its content from others.
	path, id string
	// man is a backup's manifest; nil for what others wrote.
	man  *contents
	objs []*unstructured.Unstructured
	// ignored are files that don't belong to it.
	ignored []string
}

// readDirectory reads a backup of Backup, a folder that upstream's clusterctl wrote (no manifest), or a move's snapshot (.jsonl, or a
// folder with one). All faults come together, with class fault.Usage.
func readDirectory(path string, decrypt func([]byte) ([]byte, error)) (*directory, error) {
	d := &directory{named: path, path: path}
	names, err := d.list()
	if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	var faults fault.List
	sum := sha256.New()
	locked := 0
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(d.path, name))
		if err != nil {
			faults.Add(err)
			continue
		}
		got := sha256.Sum256(data)
		_, _ = sum.Write(got[:])
		if d.man != nil && d.man.Files[name] != hex.EncodeToString(got[:]) {
			faults.Add(fmt.Errorf("%s was changed, damaged or cut off since the backup was made: its checksum is another one", filepath.Join(d.path, name)))
			continue
		}
		if strings.HasSuffix(name, encryptedEnd) && decrypt == nil {
			locked++
			continue
		}
		objs, err := decodeFile(filepath.Join(d.path, name), data, decrypt)
		if len(faults.Faults) == manyFaults { // a wrong key is wrong for all of them
			continue
		}
		faults.Add(err)
		d.objs = append(d.objs, objs...)
	}
	if locked > 0 {
		faults.Add(fault.WithHint(fault.Usagef("%d Secrets in %s are encrypted, and there is no key to read them", locked, path), "name the file with the age or SSH private key with --identity"))
	}
	d.id = filesID + hex.EncodeToString(sum.Sum(nil))[:16]
	d.twice(&faults)
	if len(d.objs) == 0 && len(faults.Faults) == 0 {
		faults.Add(fmt.Errorf("%s holds no objects", path))
	}
	if err := faults.Err(); err != nil && d.man != nil && locked == 0 {
		return nil, fault.WithCode(fault.Usage, fault.WithHint(err, "take another copy of the backup from where it was made, or another backup"))
	} else if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	if d.man == nil {
		for _, u := range d.objs {
			dropToolsPause(u)
		}
	}
	return d, nil
}

// filesID begins the identity of what isn't a cluster but a folder.
const filesID = "files:"

// twice wants every object once.
func (d *directory) twice(faults *fault.List) {
	seen := make(map[plan.Key]bool, len(d.objs))
	for _, u := range d.objs {
		k := plan.Key{GroupKind: u.GroupVersionKind().GroupKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
		if seen[k] {
			faults.Add(fmt.Errorf("%s is in %s more than once", k, d.named))
		}
		seen[k] = true
	}
}

// list names the files with objects, and finds out what wrote them.
func (d *directory) list() ([]string, error) {
	info, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		if old := hidden(filepath.Clean(d.path), oldEnd); isBackup(old) {
			return nil, fault.WithHint(err, "a backup that was put aside when a newer one was to take its place is in %s", old)
		}
	}
	if err != nil {
		return nil, noBackup(d.path, err)
	}
	if !info.IsDir() {
		name := filepath.Base(d.path)
		d.path = filepath.Dir(d.path)
		return []string{name}, nil
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	var names, snapshots []string
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir() || name == manifestName || strings.HasPrefix(name, "."):
		case strings.HasSuffix(name, snapshotEnd):
			snapshots = append(snapshots, name)
		case holdsObjects(name):
			names = append(names, name)
		default:
			d.ignored = append(d.ignored, name)
		}
	}
	if d.man, err = readManifest(d.path); err != nil {
		return nil, err
	}
	switch {
	case d.man != nil:
		return d.listed(names)
	case len(snapshots) > 0:
		return d.snapshot(snapshots, names)
	case slices.ContainsFunc(names, func(n string) bool { return strings.Count(n, "_") == 3 || strings.HasSuffix(n, encryptedEnd) }):
		return nil, fault.WithHint(fmt.Errorf("%s holds a backup that isn't whole: it has no %s, which is written last", d.path, manifestName), "it was interrupted, or not all of it was copied here")
	}
	return names, nil
}

// noBackup tells of a place where nothing can be read.
func noBackup(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fault.WithHint(fault.Usagef("there is no backup in %s: no such file or folder", path),
			"name a folder that clusterctl move --to-directory wrote, or the snapshot of a move: moves/ID.jsonl in the state folder")
	}
	return fault.WithCode(fault.Usage, fmt.Errorf("read the backup in %s: %w", path, err))
}

func isBackup(dir string) bool {
	man, err := readManifest(dir)
	return err == nil && man != nil
}

func holdsObjects(name string) bool {
	return slices.ContainsFunc([]string{".yaml", ".yml", ".json", ".yaml" + encryptedEnd}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// listed are the files that the manifest names, all of which have to be there.
func (d *directory) listed(names []string) ([]string, error) {
	var missing, out []string
	for _, name := range names {
		if _, ok := d.man.Files[name]; ok {
			out = append(out, name)
		} else {
			d.ignored = append(d.ignored, name)
		}
	}
	for name := range d.man.Files {
		if !slices.Contains(out, name) {
			missing = append(missing, name)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		return nil, fmt.Errorf("%s isn't whole any more: %s missing", d.path, first(missing, 3))
	}
	return out, nil
}

// snapshot is the only one of a folder: which of several moves is meant nobody can guess.
func (d *directory) snapshot(snapshots, names []string) ([]string, error) {
	if len(snapshots) > 1 || len(names) > 0 {
		return nil, fault.WithHint(fmt.Errorf("%s holds %s: what of it is to be restored?", d.path, first(append(snapshots, names...), 3)),
			"name a file: --from-directory %s", filepath.Join(d.path, snapshots[len(snapshots)-1]))
	}
	return snapshots, nil
}
