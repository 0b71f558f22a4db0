// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/clipperhouse/displaywidth"
)

// screen is as much of a terminal as the live view needs: it wraps, moves its cursor up, clears, hides the cursor.
type screen struct {
	mu            sync.Mutex
	width, height int
	rows          []string // as they are on the screen, without colours
	row           int
	hidden        bool
	escape        *regexp.Regexp
}

func newScreen(width int) *screen {
	return &screen{width: width, height: 1000, rows: []string{""}, escape: regexp.MustCompile("^\x1b\\[(\\??[0-9]*)([A-Za-z])")}
}

func (s *screen) Size() (columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width, s.height
}

// Resize wraps rows that are too long now, as terminals do.
func (s *screen) Resize(width int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.rows
	s.width, s.rows, s.row = width, []string{""}, 0
	for i, row := range old {
		s.text(row)
		if i < len(old)-1 {
			s.down()
		}
	}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := string(p)
	for rest != "" {
		if m := s.escape.FindStringSubmatch(rest); m != nil {
			s.control(m[1], m[2])
			rest = rest[len(m[0]):]
			continue
		}
		next := strings.IndexAny(rest[1:], "\x1b\r\n") + 1
		if next == 0 {
			next = len(rest)
		}
		switch part := rest[:next]; part {
		case "\n":
			s.down()
		case "\r":
		default:
			if strings.HasPrefix(part, "\n") || strings.HasPrefix(part, "\r") {
				next = 1
				if part[0] == '\n' {
					s.down()
				}
			} else {
				s.text(part)
			}
		}
		rest = rest[next:]
	}
	return len(p), nil
}

func (s *screen) control(arg, what string) {
	n, _ := strconv.Atoi(arg)
	switch what {
	case "A":
		// a terminal can't go back to what was scrolled away
		s.row = max(s.row-n, 0, len(s.rows)-s.height)
	case "J":
		s.rows = append(s.rows[:s.row], "")
	case "l":
		s.hidden = true
	case "h":
		s.hidden = false
	}
}

func (s *screen) down() {
	s.row++
	if s.row == len(s.rows) {
		s.rows = append(s.rows, "")
	}
}

func (s *screen) text(text string) {
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		if displaywidth.String(s.rows[s.row])+g.Width() > s.width {
			s.down()
		}
		s.rows[s.row] += g.Value()
	}
}

// String is what is on the screen, one row a line.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, row := range s.rows {
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
