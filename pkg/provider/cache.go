// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/atomicfile"
)

const sumSuffix = ".sha256"

// cache keeps files of releases on disk: <dir>/<label>/<version>/<hash of the repository's address>/<file>, each with
// its checksum beside it. What doesn't match its checksum isn't there. A cache that can't be written is no fault.
type cache struct{ dir string }

func newCache(base string) cache {
	if base == "" {
		return cache{}
	}
	return cache{dir: filepath.Join(base, "providers")}
}

func (c cache) path(source, label, version, name string) string {
	if c.dir == "" {
		return ""
	}
	return filepath.Join(c.dir, label, version, hash([]byte(source))[:12], name)
}

func (c cache) load(path string) ([]byte, bool) {
	if path == "" {
		return nil, false
	}
	sum, err := os.ReadFile(path + sumSuffix)
	if err != nil {
		return nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil || hash(data) != strings.TrimSpace(string(sum)) {
		return nil, false
	}
	return data, true
}

func (c cache) store(path string, data []byte) {
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if atomicfile.Write(path, data, 0o600) == nil {
		_ = atomicfile.Write(path+sumSuffix, []byte(hash(data)+"\n"), 0o600)
	}
}

// versions lists the versions of which something from the repository is in the cache.
func (c cache) versions(source, label string) []string {
	if c.dir == "" {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(c.dir, label, "*", hash([]byte(source))[:12]))
	out := make([]string, 0, len(found))
	for _, f := range found {
		out = append(out, filepath.Base(filepath.Dir(f)))
	}
	return out
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
