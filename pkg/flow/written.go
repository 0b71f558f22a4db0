// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
)

// WrittenFile is a file that a run wrote, and its content then.
type WrittenFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// written lists the kubeconfig files that runs wrote.
func (rec *Record) written() []WrittenFile {
	out := slices.Clone(rec.OtherKubeconfigs)
	if rec.Kubeconfig != "" {
		out = append(out, WrittenFile{rec.Kubeconfig, rec.KubeconfigSHA256})
	}
	return out
}

// writing notes that data is going to be written to path. One that was written elsewhere stays known: it holds the same
// credentials, and is to go with the cluster.
func (rec *Record) writing(path string, data []byte) {
	rec.OtherKubeconfigs = slices.DeleteFunc(rec.written(), func(w WrittenFile) bool { return w.Path == path })
	sum := sha256.Sum256(data)
	rec.Kubeconfig, rec.KubeconfigSHA256 = path, hex.EncodeToString(sum[:])
}

// wrote says whether path is a file that a run wrote, and whether it still is as it was then.
func (rec *Record) wrote(path string) (ours, unchanged bool) {
	for _, w := range rec.written() {
		if w.Path != path {
			continue
		}
		data, err := os.ReadFile(path)
		sum := sha256.Sum256(data)
		return true, err == nil && hex.EncodeToString(sum[:]) == w.SHA256
	}
	return false, false
}

// holds says whether a file has exactly this content.
func holds(path string, data []byte) bool {
	old, err := os.ReadFile(path)
	return err == nil && bytes.Equal(old, data)
}
