// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Brief is an error in one line: of several faults the first, and how many more there are.
func Brief(err error) string {
	var list *List
	if errors.As(err, &list) && len(list.Faults) > 1 {
		return fmt.Sprintf("%s (and %d more)", Brief(list.Faults[0]), len(list.Faults)-1)
	}
	line, rest, _ := strings.Cut(err.Error(), "\n")
	item, others, _ := strings.Cut(rest, "\n")
	item, isItem := strings.CutPrefix(strings.TrimSpace(item), "- ")
	switch more := strings.Count(others, "\n") + 1; {
	case !isItem:
	case others == "":
		line += " " + item
	default:
		line += fmt.Sprintf(" %s (and %d more)", item, more)
	}
	return line
}
