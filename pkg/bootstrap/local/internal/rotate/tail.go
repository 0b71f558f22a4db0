// SPDX-License-Identifier: Apache-2.0

package rotate

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// tailBytes bounds how far back Tail reads.
const tailBytes = 1 << 20

// Tail returns the last n lines of a log file, over a rotation if need be. A missing file has no lines.
func Tail(path string, n int) ([]string, error) {
	if n <= 0 {
		return nil, nil
	}
	lines, err := tail(path, n)
	if err != nil || len(lines) >= n {
		return lines, err
	}
	older, err := tail(path+".1", n-len(lines))
	return append(older, lines...), err
}

func tail(path string, n int) ([]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	from := max(0, size-tailBytes)
	data := make([]byte, size-from)
	if _, err := f.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if from > 0 { // The first line is cut off.
		_, data, _ = bytes.Cut(data, []byte{'\n'})
	}
	text := strings.TrimRight(string(data), "\n")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):], nil
}
