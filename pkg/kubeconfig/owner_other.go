// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package kubeconfig

import "io/fs"

// keepOwner has nothing to do: files inherit their rights from the directory.
func keepOwner(string, fs.FileInfo) {}

// syncDir has nothing to do: directories can't be synced.
func syncDir(string) {}
