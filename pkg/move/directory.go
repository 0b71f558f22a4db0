// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// maxLine is the largest object of a snapshot, in bytes: an API server stores no larger one.
const maxLine = 16 << 20

// directory is what was read out of a folder.
type directory struct {
	// id tells it from others.
	id   string
	man  *manifest
	objs []*unstructured.Unstructured
}

// readDirectory reads a backup of Backup, a folder that upstream's clusterctl wrote (no manifest), or a move's snapshot (.jsonl). All
// faults come together.
func readDirectory(path string, decrypt func([]byte) ([]byte, error)) (*directory, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	d := &directory{}
	var names []string
	if !info.IsDir() {
		path, names = filepath.Dir(path), []string{filepath.Base(path)}
	} else if names, err = d.list(path); err != nil {
		return nil, err
	}
	sum := sha256.New()
	var faults fault.List
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			faults.Add(err)
			continue
		}
		got := sha256.Sum256(data)
		_, _ = sum.Write(got[:])
		if d.man != nil && d.man.Files[name] != hex.EncodeToString(got[:]) {
			faults.Add(fmt.Errorf("%s was changed or damaged since the backup was made: its checksum is another one", name))
			continue
		}
		if err := d.decode(name, data, decrypt); err != nil {
			faults.Add(fmt.Errorf("%s: %w", filepath.Join(path, name), err))
		}
	}
	d.id = "directory:" + hex.EncodeToString(sum.Sum(nil))[:16]
	if len(d.objs) == 0 && len(faults.Faults) == 0 {
		faults.Add(fault.Usagef("%s holds no objects", path))
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	return d, nil
}

// list names the files with objects, and reads the manifest if there is one.
func (d *directory) list(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || name == manifestName || strings.HasPrefix(name, ".") {
			continue
		}
		for _, end := range []string{".yaml", ".yml", ".json", ".jsonl", ".yaml.age"} {
			if strings.HasSuffix(name, end) {
				names = append(names, name)
				break
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(path, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	} else if err != nil {
		return nil, err
	}
	d.man = &manifest{}
	if err := yaml.UnmarshalStrict(data, d.man); err != nil {
		return nil, fault.Usagef("%s: %v", filepath.Join(path, manifestName), err)
	}
	if d.man.Version != backupVersion {
		return nil, fault.Usagef("%s is of format %q, this program reads %q", path, d.man.Version, backupVersion)
	}
	var missing []string
	for name := range d.man.Files {
		if !slices.Contains(names, name) {
			missing = append(missing, name)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		return nil, fault.Usagef("%s isn't whole any more: %s missing", path, first(missing, 3))
	}
	return slices.DeleteFunc(names, func(n string) bool { _, ok := d.man.Files[n]; return !ok }), nil
}

func (d *directory) decode(name string, data []byte, decrypt func([]byte) ([]byte, error)) error {
	if strings.HasSuffix(name, ".jsonl") {
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, maxLine)
		for n := 1; lines.Scan(); n++ {
			u, err := asObject(lines.Bytes())
			if err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
			d.objs = append(d.objs, u)
		}
		return lines.Err()
	}
	if strings.HasSuffix(name, ".age") {
		if decrypt == nil {
			return errors.New("is encrypted: name the private key's file with --identity")
		}
		var err error
		if data, err = decrypt(data); err != nil {
			return err
		}
	}
	u, err := asObject(data)
	if err == nil {
		d.objs = append(d.objs, u)
	}
	return err
}
