// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Stamp says that a part is complete, and what it was made from.
type Stamp struct {
	// Key is the Key of everything that the part depends on.
	Key string `json:"key"`
	// Source is how it was made, such as "download" or "go build".
	Source string `json:"source"`
	// Files are the part's files, relative to the cache folder, and their sizes in bytes.
	Files map[string]int64 `json:"files"`
}

// Key hashes inputs. Their lengths go in too, so that ("ab", "c") and ("a", "bc") differ.
func Key(inputs ...string) string {
	sum := sha256.New()
	for _, input := range inputs {
		_, _ = io.WriteString(sum, strconv.Itoa(len(input))+":"+input)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Stamp reads the stamp of a part and says whether it is good: made from the
// same inputs, with every file still there in its size. A stamp that can't be
// read is no stamp.
func (d Dir) Stamp(part, key string) (Stamp, bool) {
	var stamp Stamp
	data, err := os.ReadFile(d.stampPath(part))
	if err != nil || json.Unmarshal(data, &stamp) != nil {
		return Stamp{}, false
	}
	if stamp.Key != key || len(stamp.Files) == 0 {
		return stamp, false
	}
	for file, size := range stamp.Files {
		info, err := os.Stat(filepath.Join(string(d), file))
		if err != nil || !info.Mode().IsRegular() || info.Size() != size {
			return stamp, false
		}
	}
	return stamp, true
}

// SetStamp records that a part is complete. The paths are files or folders of
// the part; folders stand for all files in them.
func (d Dir) SetStamp(part, key, source string, paths []string) error {
	stamp := Stamp{Key: key, Source: source, Files: map[string]int64{}}
	for _, path := range paths {
		err := filepath.Walk(path, func(file string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				stamp.Files[d.Rel(file)] = info.Size()
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("stamp %s: %w", part, err)
		}
	}
	data, err := json.MarshalIndent(stamp, "", "  ")
	if err != nil {
		return err
	}
	return d.WriteFile(d.stampPath(part), append(data, '\n'), 0o644)
}

// DropStamp says that a part is being made anew and is not complete.
func (d Dir) DropStamp(part string) error {
	if err := os.Remove(d.stampPath(part)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func (d Dir) stampPath(part string) string { return d.join("stamps", part+".json") }
