// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"path"
	"strings"
	"unicode/utf8"
)

// trimPrefix takes away the shortest or longest beginning that matches a shell pattern.
func trimPrefix(value, pattern string, longest bool) string {
	best := 0
	for end := 0; ; {
		if matches(pattern, value[:end]) {
			best = end
			if !longest {
				break
			}
		}
		if end == len(value) {
			break
		}
		_, n := utf8.DecodeRuneInString(value[end:])
		end += n
	}
	return value[best:]
}

// trimSuffix takes away the shortest or longest end that matches a shell pattern.
func trimSuffix(value, pattern string, longest bool) string {
	best := len(value)
	for start := len(value); ; {
		if matches(pattern, value[start:]) {
			best = start
			if !longest {
				break
			}
		}
		if start == 0 {
			break
		}
		_, n := utf8.DecodeLastRuneInString(value[:start])
		start -= n
	}
	return value[:best]
}

// matches is the pattern matching of the shell, where * takes slashes too. A malformed pattern matches nothing.
func matches(pattern, value string) bool {
	const noSlash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", noSlash), strings.ReplaceAll(value, "/", noSlash))
	return err == nil && ok
}
