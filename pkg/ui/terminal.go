// SPDX-License-Identifier: Apache-2.0

package ui

import "strings"

// UseColor decides whether a stream gets colours: the flag first, then CLICOLOR_FORCE,
// then NO_COLOR (https://no-color.org: any value that isn't empty) and TERM=dumb, then whether it is a terminal.
func UseColor(mode Color, tty bool, getenv func(string) string) bool {
	switch {
	case mode == ColorAlways:
		return true
	case mode == ColorNever:
		return false
	case getenv("NO_COLOR") != "":
		return false
	case getenv("CLICOLOR_FORCE") != "" && getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return tty && getenv("TERM") != "dumb"
}

// UseLive decides whether a terminal can show lines that change: TERM=dumb can't move its cursor.
func UseLive(tty bool, getenv func(string) string) bool {
	return tty && getenv("TERM") != "dumb"
}

// UseUTF8 decides whether signs beyond ASCII are safe, by the locale variables in the order that POSIX gives them.
func UseUTF8(goos string, getenv func(string) string) bool {
	if goos == "windows" || goos == "darwin" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := getenv(name); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}
