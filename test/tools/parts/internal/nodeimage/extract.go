// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// extract copies the files that paths name from one file system into another,
// with the links on the way to them and the libraries that they need.
func extract(from, to string, paths []string) error {
	e := extraction{from: from, to: to, done: map[string]bool{}}
	for _, pattern := range paths {
		found, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("nothing is named %s", pattern)
		}
		for _, path := range found {
			if err := e.add(strings.TrimPrefix(path, from), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// extraction is a copy that is being made.
type extraction struct {
	from, to string
	done     map[string]bool
}

// maxLinks is how many links may follow each other.
const maxLinks = 40

// add copies what path, which starts with a slash, leads to.
func (e extraction) add(path string, links int) error {
	if links > maxLinks {
		return fmt.Errorf("too many links at %s", path)
	}
	current := "/"
	elements := strings.Split(strings.Trim(filepath.Clean(path), "/"), "/")
	for i, element := range elements {
		current = filepath.Join(current, element)
		info, err := os.Lstat(filepath.Join(e.from, current))
		if err != nil {
			return err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		target, err := os.Readlink(filepath.Join(e.from, current))
		if err != nil {
			return err
		}
		if err := e.link(current, target); err != nil {
			return err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(current), target)
		}
		return e.add(filepath.Join(append([]string{target}, elements[i+1:]...)...), links+1)
	}
	return e.file(current)
}

func (e extraction) link(path, target string) error {
	if e.done[path] {
		return nil
	}
	e.done[path] = true
	out := filepath.Join(e.to, path)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	return os.Symlink(target, out)
}

// file copies a regular file, and the libraries that it needs.
func (e extraction) file(path string) error {
	if e.done[path] {
		return nil
	}
	e.done[path] = true
	info, err := os.Stat(filepath.Join(e.from, path))
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(e.from, path))
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(e.to, path), string(data), info.Mode().Perm()); err != nil {
		return err
	}
	needed, err := libraries(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range needed {
		library, err := e.find(name)
		if err != nil {
			return fmt.Errorf("%s needs %s: %w", path, name, err)
		}
		if err := e.add(library, 0); err != nil {
			return err
		}
	}
	return nil
}

// libraries are the names of the shared libraries that a program or library
// needs, and of the program's loader. Other files need none.
func libraries(data []byte) ([]string, error) {
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return nil, nil
	}
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var needed []string
	for _, part := range file.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		loader := make([]byte, part.Filesz)
		if _, err := part.ReadAt(loader, 0); err != nil {
			return nil, err
		}
		needed = append(needed, strings.TrimRight(string(loader), "\x00"))
	}
	shared, err := file.ImportedLibraries()
	return append(needed, shared...), err
}

// find finds a library where Debian's loader does.
func (e extraction) find(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, pattern := range []string{"/usr/lib/*-linux-gnu", "/lib/*-linux-gnu", "/usr/lib", "/usr/lib/*-linux-gnu/systemd"} {
		found, err := filepath.Glob(filepath.Join(e.from, pattern, name))
		if err == nil && len(found) > 0 {
			return strings.TrimPrefix(found[0], e.from), nil
		}
	}
	return "", errors.New("there is no such library")
}
