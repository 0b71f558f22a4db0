// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// CheckFile says whether [WriteFile] could write to path, as far as that can be known
// without writing: the directory exists, path is no directory and not read-only.
func CheckFile(path string) error {
	_, err := resolve(path)
	return err
}

// WriteFile writes a kubeconfig to path with mode 0600: into a temporary file in the
// same directory, synced, then renamed, so that path holds the old or the new text
// and never a part of one. A symbolic link stays, what it points to is replaced; the
// owner of a replaced file stays the owner where the rights allow. Pipes and devices
// are written to as they are.
func WriteFile(path string, data []byte) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	if target.special {
		return fail(path, writeSpecial(target.path, data))
	}
	if err := replace(target, data); err != nil {
		if target.info == nil {
			return fail(path, err)
		}
		return fault.WithHint(fail(path, err), "%s is as it was before", path)
	}
	return nil
}

// target is where a path ends up.
type target struct {
	// path has all symbolic links resolved, unless special.
	path string
	// info is that of the existing file, nil if there is none.
	info fs.FileInfo
	// special says pipe, socket or device.
	special bool
}

func resolve(path string) (target, error) {
	if path == "" || os.IsPathSeparator(path[len(path)-1]) {
		return target{}, fault.Usagef("write kubeconfig %s: that is a directory, not a file", path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return target{}, fault.Usagef("write kubeconfig %s: that is a directory, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		return target{path: path, info: info, special: true}, nil
	case err == nil && info.Mode().Perm()&0o200 == 0:
		return target{}, fault.WithHint(fault.Usagef("write kubeconfig %s: the file is read-only", path), "chmod u+w %s", path)
	case err == nil:
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return target{}, fail(path, err)
		}
		return target{path: real, info: info}, checkDir(path, filepath.Dir(real))
	case errors.Is(err, fs.ErrNotExist):
		return resolveMissing(path)
	}
	return target{}, fault.WithCode(fault.Usage, fail(path, err))
}

// resolveMissing follows links that lead to a file that doesn't exist, and proves that its directory does.
func resolveMissing(path string) (target, error) {
	end := path
	for range 40 {
		link, err := os.Readlink(end)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(end), link)
		}
		end = link
	}
	dir := filepath.Dir(end)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target{}, fault.WithHint(fault.Usagef("write kubeconfig %s: directory %s does not exist", path, dir), "mkdir -p %s", dir)
	case err != nil:
		return target{}, fault.WithCode(fault.Usage, fail(path, err))
	case !info.IsDir():
		return target{}, fault.Usagef("write kubeconfig %s: %s is not a directory", path, dir)
	}
	return target{path: end}, checkDir(path, dir)
}

// checkDir finds out before it matters that a directory takes no new file.
func checkDir(path, dir string) error {
	if err := writable(dir); err != nil {
		return fault.Usagef("write kubeconfig %s: its directory %s can't be written to: %w", path, dir, err)
	}
	return nil
}

func writeSpecial(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// replace puts data in the place of t; on error nothing has changed and no temporary file is left.
func replace(t target, data []byte) (err error) {
	dir := filepath.Dir(t.path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(t.path)+".tmp-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := fill(f, data); err != nil {
		return err
	}
	if t.info != nil {
		keepOwner(f.Name(), t.info)
	}
	if err := os.Rename(f.Name(), t.path); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// fill writes and syncs before it closes: a full disk shows at the latest there.
func fill(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// fail names the file that the caller knows instead of a temporary one.
func fail(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write kubeconfig %s: %w", path, cause(err))
}

// cause takes the path out of an error of package os.
func cause(err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		return onPath.Err
	case errors.As(err, &onLink):
		return onLink.Err
	}
	return err
}
