// SPDX-License-Identifier: Apache-2.0

//go:build unix

package kubeconfig

import (
	"errors"
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

// writable says why no file can be made in a directory, nil if one can as far as the system tells. Root is told that it may write
// everywhere, also where nothing can be, such as below /proc: for root it is tried.
func writable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil || os.Geteuid() != 0 {
		return err
	}
	probe, err := os.CreateTemp(dir, ".clusterctl-probe-*")
	if err != nil {
		var file *fs.PathError
		if errors.As(err, &file) {
			return file.Err
		}
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// syncDir makes a rename last through a power cut. File systems that can't are let be.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
