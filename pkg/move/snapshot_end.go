// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// lastLine ends a snapshot. Without it nobody could tell one that lost lines from a whole one, and a restore of such a one makes
// controllers create what is missing anew: other Machines than those that run.
type lastLine struct {
	Snapshot *wholeness `json:"snapshot"`
}

// wholeness says what the lines before it are.
type wholeness struct {
	// Objects is how many there are, a line each.
	Objects int `json:"objects"`
	// SHA256 is their sum, in hex, over all bytes before the last line.
	SHA256 string `json:"sha256"`
}

// unsealed are the lines of objects of a snapshot that is whole.
func unsealed(data []byte) ([][]byte, error) {
	if len(data) == 0 {
		return nil, errors.New("is empty")
	}
	if data[len(data)-1] != '\n' {
		return nil, notWhole("is cut off: its last line doesn't end")
	}
	lines := bytes.Split(data[:len(data)-1], []byte("\n"))
	last := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	end := lastLine{}
	if err := json.Unmarshal(last, &end); err != nil || end.Snapshot == nil {
		return nil, notWhole("isn't whole: the last line, which says how many objects there are, is missing")
	}
	if n := end.Snapshot.Objects; n != len(lines) {
		return nil, notWhole(fmt.Sprintf("isn't whole: it holds %d objects, and should hold %d", len(lines), n))
	}
	sum := sha256.Sum256(data[:len(data)-1-len(last)])
	if end.Snapshot.SHA256 != hex.EncodeToString(sum[:]) {
		return nil, notWhole("was changed or damaged since the move kept it: its checksum is another one")
	}
	return lines, nil
}

// notWhole is for a file that may be the only copy, so it says how to use what is left.
func notWhole(what string) error {
	return fault.WithHint(fault.Usagef("%s", what),
		`take another copy of it. If there is none, this makes a file of what is left, which can be restored without any check that it is all: (umask 077; awk '/"kind":.*}$/{print "---"; print}' FILE.jsonl > rest.yaml)`)
}
