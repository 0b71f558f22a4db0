// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// The bounds of what is shown of one error.
const (
	maxErrorLine  = 2048
	maxErrorLines = 50
	maxErrorText  = 64 << 10 // what is looked at of one fault: a server may send megabytes
)

// ErrorOptions say how an error is shown.
type ErrorOptions struct {
	// JSON shows one JSON object on one line.
	JSON bool
	// Color allows colours.
	Color bool
	// Usage is the usage line of the command, for errors in how it was called; may be empty.
	Usage string
}

// PrintError shows an error: what failed and why in one line, or one line for each of several faults, then what to do next.
func PrintError(out io.Writer, err error, o ErrorOptions) {
	lines := ErrorLines(err)
	hints := fault.Hints(err)
	if o.JSON {
		writeJSONLine(out, jsonError{
			Time: time.Now(), Kind: "error", Code: int(fault.CodeOf(err)),
			Message: lines[0], Faults: lines[1:], Usage: o.Usage, Hints: folded(hints),
		})
		return
	}
	paint := Palette{On: o.Color}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", paint.Red("error:"), lines[0])
	for _, line := range lines[1:] {
		fmt.Fprintf(&b, "  - %s\n", line)
	}
	if o.Usage != "" {
		fmt.Fprintf(&b, "usage: %s\n", o.Usage)
	}
	for _, hint := range folded(hints) {
		fmt.Fprintf(&b, "%s %s\n", paint.Cyan("hint:"), hint)
	}
	_, _ = io.WriteString(out, b.String())
}

// jsonError is an error as scripts see it, on standard error.
type jsonError struct {
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	Code    int       `json:"code"`
	Message string    `json:"message"`
	Faults  []string  `json:"faults,omitempty"`
	Usage   string    `json:"usage,omitempty"`
	Hints   []string  `json:"hints,omitempty"`
}

// ErrorLines gives the text of an error as lines: the first says what failed, each further one is one fault of several.
// Messages of servers that have several lines become one; very long ones are cut.
func ErrorLines(err error) []string {
	var list *fault.List
	if !errors.As(err, &list) || len(list.Faults) == 0 {
		return atMost(flat(err.Error()), maxErrorLines)
	}
	before, after, _ := strings.Cut(err.Error(), list.Error())
	lines := flat(before + fmt.Sprintf("%d faults:", len(list.Faults)) + after)
	for _, f := range list.Faults {
		lines = append(lines, flat(f.Error())...)
	}
	return atMost(lines, maxErrorLines)
}

// flat folds a text into one line, but for lines that begin as items of a list.
func flat(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(Shorten(text, maxErrorText), "\n") {
		item, isItem := strings.CutPrefix(strings.TrimLeft(line, " \t"), "- ")
		line = Fold(line)
		switch {
		case isItem && len(lines) > 0:
			lines = append(lines, Fold(item))
		case line == "":
		case len(lines) == 0:
			lines = append(lines, line)
		default:
			lines[len(lines)-1] += " " + line
		}
	}
	if len(lines) == 0 {
		return []string{"unknown error"}
	}
	for i := range lines {
		lines[i] = Shorten(lines[i], maxErrorLine)
	}
	return lines
}

func atMost(lines []string, n int) []string {
	if len(lines) <= n {
		return lines
	}
	more := len(lines) - n
	return append(lines[:n:n], fmt.Sprintf("and %d more", more))
}

func folded(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Shorten(Fold(t), maxErrorLine)
	}
	return out
}
