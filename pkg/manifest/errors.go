// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// errAt is an error at a place; it has no class yet.
func errAt(at Origin, format string, args ...any) error {
	return fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
}

// faultAt is an error of class Usage at a place, with a hint, which may be empty.
func faultAt(at Origin, hint, format string, args ...any) error {
	return &fault.Error{Code: fault.Usage, Err: errAt(at, format, args...), Hint: hint}
}

// excerpt quotes text for an error, at most limit characters of it.
func excerpt(text string, limit int) string {
	if utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit]) + "…"
	}
	return strconv.Quote(text)
}
