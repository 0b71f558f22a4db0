// SPDX-License-Identifier: Apache-2.0

package proc

import "golang.org/x/sys/unix"

// FreeBytes is the space that this user may still write below path.
func FreeBytes(path string) (uint64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return 0, err
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}

// Owned says whether path belongs to this user.
func Owned(path string) (bool, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return false, err
	}
	return int(st.Uid) == unix.Geteuid(), nil
}
