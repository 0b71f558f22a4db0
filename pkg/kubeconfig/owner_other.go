// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package kubeconfig

import "io/fs"

// keepOwner has nothing to do: files inherit their rights from the directory.
func keepOwner(string, fs.FileInfo) {}

// writable leaves it to the write: rights of a directory don't tell there.
func writable(string) error { return nil }

// syncDir has nothing to do: directories can't be synced.
func syncDir(string) {}
