// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

const byteOrderMark = "\uFEFF"

// plainText brings the text of a source to UTF-8 without a byte order mark, or says what it is instead of text.
// Line ends stay as they are: YAML knows all of them.
func plainText(src Source) ([]byte, error) {
	data := fromUTF16(src.Data)
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, fault.Usagef("read %s: is not text", src.Name)
	}
	if !utf8.Valid(data) {
		at := src.origin(1 + bytes.Count(data[:firstInvalid(data)], []byte("\n")))
		return nil, &fault.Error{Code: fault.Usage, Err: errAt(at, "is not UTF-8 text"), Hint: "save the file with the encoding UTF-8"}
	}
	return data, nil
}

// fromUTF16 decodes what Windows tools write: UTF-16 behind a byte order mark. Other data is returned as it is.
func fromUTF16(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// firstInvalid is the offset of the first byte that isn't UTF-8.
func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}

// origin turns a line of Data into a place that people know.
func (s Source) origin(line int) Origin {
	if line >= 1 && line <= len(s.Lines) {
		line = s.Lines[line-1]
	}
	return Origin{File: s.Name, Line: line}
}
