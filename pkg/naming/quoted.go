// SPDX-License-Identifier: Apache-2.0

package naming

import "strconv"

// shown is how many characters of a name a message repeats.
const shown = 80

// quoted is a name for a message: short, and with nothing in it that a terminal would obey.
func quoted(name string) string {
	runes := []rune(name)
	if len(runes) <= shown {
		return strconv.Quote(name)
	}
	return strconv.Quote(string(runes[:shown])) + "…"
}
