// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// simulated says whether the inputs look like those of a cluster whose machines are simulated in the Docker provider's memory. It is
// asked before anything is rendered, so it looks at the text alone; it decides only which bootstrap cluster auto takes.
func (in Inputs) simulated() (found bool) {
	if in.Flavor == "in-memory" {
		return true
	}
	for _, file := range slices.Concat(in.Files, []string{in.ClusterFile, in.MachinesFile}) {
		_ = filepath.WalkDir(file, func(path string, e fs.DirEntry, err error) error { // What is wrong with it the preflight says.
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			found = found || bytes.Contains(text, []byte("inMemory:"))
			return err
		})
	}
	return found
}
