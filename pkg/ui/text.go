// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// Fold makes one line of a text that may have several: line breaks and the white space around them become
// one space, and control characters (escape sequences that a server sent, for example) go.
func Fold(s string) string {
	return strings.Join(strings.Fields(strings.Map(printable, s)), " ")
}

// printable turns white space into spaces and drops what could drive a terminal.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// Truncate cuts s to a number of columns, with a mark where something is missing.
func Truncate(s string, columns int, utf8 bool) string {
	mark := "..."
	if utf8 {
		mark = "…"
	}
	switch {
	case columns <= 0:
		return ""
	case displaywidth.String(s) <= columns:
		return s
	case columns <= len(mark):
		return displaywidth.TruncateString(s, columns, "")
	}
	return displaywidth.TruncateString(s, columns, mark)
}

// Shorten cuts s to about limit bytes and says how much is missing.
func Shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not inside of a character
		cut--
	}
	return fmt.Sprintf("%s... (%d more bytes)", s[:cut], len(s)-cut)
}

// Duration writes how long something took for people: 0.4s, 41s, 2m07s, 1h05m.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0.0s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
