// SPDX-License-Identifier: Apache-2.0

package ui

import "time"

// symbols are the signs of the live view, with a set for terminals that know ASCII only.
type symbols struct {
	done, fail, skip, note, warn string
	spinner                      []string
}

// frame is how long one picture of the spinner stays.
const frame = 100 * time.Millisecond

func newSymbols(utf8 bool) symbols {
	if utf8 {
		return symbols{
			done: "✓", fail: "✗", skip: "-", note: "•", warn: "!",
			spinner: []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
		}
	}
	return symbols{
		done: "+", fail: "x", skip: "-", note: "*", warn: "!",
		spinner: []string{"|", "/", "-", "\\"},
	}
}

// spin is the picture for a step that runs since elapsed.
func (s symbols) spin(elapsed time.Duration) string {
	if elapsed < 0 {
		elapsed = 0
	}
	return s.spinner[int(elapsed/frame)%len(s.spinner)]
}
