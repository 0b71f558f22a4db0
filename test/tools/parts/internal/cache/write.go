// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes data to path so that a reader sees all of it or nothing.
// Missing parent folders are made.
func (d Dir) WriteFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(d.Temp(), 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(d.Temp(), filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Chmod(mode)
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return d.Place(temp.Name(), path)
}

// Place moves what was made in Temp to its path. A file replaces the old one
// atomically. An old folder is moved out of the way first, since a rename can't
// replace a folder that holds something.
func (d Dir) Place(temp, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		old := temp + ".old"
		if err := os.Rename(path, old); err != nil {
			return err
		}
		defer os.RemoveAll(old)
	}
	return os.Rename(temp, path)
}

// TempDir makes an empty folder below Temp.
func (d Dir) TempDir(name string) (string, error) {
	if err := os.MkdirAll(d.Temp(), 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(d.Temp(), name+"-*")
}
