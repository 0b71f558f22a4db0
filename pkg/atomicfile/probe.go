// SPDX-License-Identifier: Apache-2.0

package atomicfile

import (
	"errors"
	"os"
)

// Probe says why no file can be written in a folder, nil if one can: it writes one and takes it away again. The error is an *fs.PathError
// of the system.
func Probe(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("probe")
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}
