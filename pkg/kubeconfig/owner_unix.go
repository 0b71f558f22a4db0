// SPDX-License-Identifier: Apache-2.0

//go:build unix

package kubeconfig

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepOwner makes a new file belong to whom the replaced one belongs, for those who
// run with sudo. Where that isn't allowed the writer owns it, as with any editor.
func keepOwner(path string, replaced fs.FileInfo) {
	if stat, ok := replaced.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(path, int(stat.Uid), int(stat.Gid))
	}
}

// writable says why no file can be made in a directory, nil if one can as far as the system tells.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// syncDir makes a rename last through a power cut. File systems that can't are let be.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
