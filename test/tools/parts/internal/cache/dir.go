// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"errors"
	"path/filepath"
)

// DirVariable is the environment variable that names the cache folder.
const DirVariable = "CLUSTERCTL_PARTS"

// Dir is the absolute path of a cache folder.
type Dir string

// Locate decides on the cache folder: the flag's value, else DirVariable, else
// clusterctl-parts in the user's cache folder (XDG_CACHE_HOME, or ~/.cache).
func Locate(flag string, getenv func(string) string) (Dir, error) {
	for _, path := range []string{flag, getenv(DirVariable)} {
		if path != "" {
			abs, err := filepath.Abs(path)
			return Dir(abs), err
		}
	}
	// The XDG specification tells to ignore a relative path here.
	base := getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("find the cache folder: none of --cache, " + DirVariable + ", XDG_CACHE_HOME and HOME is set")
		}
		base = filepath.Join(home, ".cache")
	}
	return Dir(filepath.Join(base, "clusterctl-parts")), nil
}

// Kube is the folder of the control-plane binaries of one Kubernetes version.
func (d Dir) Kube(version string) string { return d.join("kube", version) }

// CAPIBin is the folder of the Cluster API binaries of one version.
func (d Dir) CAPIBin(version string) string { return d.join("capi", version, "bin") }

// Repository is the root of the provider repository.
func (d Dir) Repository() string { return d.join("repository") }

// Images is the OCI image layout of one Cluster API version.
func (d Dir) Images(version string) string { return d.join("images", version) }

// Archives is the folder of the images of one Cluster API version, one archive each.
func (d Dir) Archives(version string) string { return d.join("archives", version) }

// Node is the folder of what nodes of one Kubernetes version are made of.
func (d Dir) Node(version string) string { return d.join("node", version) }

// NodeBin is the folder of the programs of a node that aren't Kubernetes'.
func (d Dir) NodeBin(version string) string { return d.join("node", version, "bin") }

// CertManager is the folder of cert-manager in one version.
func (d Dir) CertManager(version string) string { return d.join("cert-manager", version) }

// Engine is the folder of a container engine that was started by hand.
func (d Dir) Engine() string { return d.join("engine") }

// EngineBin is what is before everything else in the PATH of such an engine, where that is needed.
func (d Dir) EngineBin() string { return d.join("engine", "bin") }

// Temp is where files are made before they are renamed to their place. It is
// on the same file system as the rest, so that the rename is atomic.
func (d Dir) Temp() string { return d.join("tmp") }

// Rel is path relative to the folder, for messages and stamps.
func (d Dir) Rel(path string) string {
	if rel, err := filepath.Rel(string(d), path); err == nil {
		return rel
	}
	return path
}

func (d Dir) join(elem ...string) string {
	return filepath.Join(append([]string{string(d)}, elem...)...)
}
