// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"io/fs"
	"os"
	"path/filepath"
)

// walkFiles calls visit with each regular file of a file system.
func walkFiles(files fs.FS, visit func(name string, data []byte) error) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return visit(name, data)
	})
}

// writeFile writes a file and the folders that it is in.
func writeFile(path, content string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
