// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// The control sequences of the live view.
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearBelow = "\x1b[J"
)

// live shows one changing line for each running step, below the lines that stay.
type live struct {
	out    io.Writer
	size   func() (int, int)
	utf8   bool
	color  Palette
	signs  symbols
	drawn  []int // columns of each changing line on the screen
	hidden bool  // the cursor is hidden
}

func newLive(o ViewOptions) *live {
	return &live{out: o.Out, size: o.Size, utf8: o.UTF8, color: Palette{On: o.Color}, signs: newSymbols(o.UTF8)}
}

func (l *live) show(e event.Event, of *step, running []*step) {
	text := ""
	switch e.Kind {
	case event.Start:
	case event.Progress:
		if of == nil {
			text = l.stays(l.color.Dim(l.signs.note), titled(e.Step, Fold(e.Message)))
		}
	case event.Done:
		text = l.closing(l.color.Green(l.signs.done), e, of)
	case event.Skip:
		text = l.closing(l.color.Dim(l.signs.skip), e, of)
	case event.Fail:
		text = l.closing(l.color.Red(l.signs.fail), e, of)
	case event.Warn:
		text = l.stays(l.color.Yellow(l.signs.warn), Fold(e.Message))
	default:
		text = l.stays(l.color.Cyan(l.signs.note), Fold(e.Message))
	}
	l.draw(e.Time, text, running)
}

func (l *live) stays(sign, text string) string {
	if text == "" {
		return ""
	}
	return " " + sign + " " + text + "\n"
}

// closing is the line that remains of a step: sign, title, outcome, duration.
func (l *live) closing(sign string, e event.Event, of *step) string {
	text := Fold(e.Message)
	if of.title != "" && !strings.HasPrefix(text, of.title) {
		text = strings.TrimSuffix(of.title+": "+text, ": ")
	}
	if text == "" {
		text = e.Step
	}
	if e.Kind != event.Skip {
		text += "  " + l.color.Dim(Duration(e.Time.Sub(of.began)))
	}
	return l.stays(sign, text)
}

func (l *live) line(text string, running []*step) {
	l.draw(time.Now(), text+"\n", running)
}

func (l *live) tick(now time.Time, running []*step) { l.draw(now, "", running) }

func (l *live) interval() time.Duration { return frame }

func (l *live) pause() {
	if len(l.drawn) > 0 || l.hidden {
		l.draw(time.Time{}, "", nil)
	}
}

// draw replaces the changing lines: it goes back to where they begin, clears, writes what stays and then
// the lines of the running steps. All of it is one write, so that nothing flickers or gets mixed up.
func (l *live) draw(now time.Time, stays string, running []*step) {
	columns, height := l.terminal()
	var b strings.Builder
	if up := rows(l.drawn, columns); up > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA%s", up, clearBelow)
	}
	b.WriteString(stays)
	l.drawn = l.drawn[:0]
	for _, t := range l.changing(now, running, columns, height) {
		l.drawn = append(l.drawn, displaywidth.String(t.raw))
		b.WriteString(t.painted + "\n")
	}
	if hide := len(running) > 0; hide != l.hidden {
		l.hidden = hide
		if hide {
			b.WriteString(hideCursor)
		} else {
			b.WriteString(showCursor)
		}
	}
	_, _ = io.WriteString(l.out, b.String())
}

// text is a line with and without its colours.
type text struct{ raw, painted string }

// changing are the lines of the running steps, as many as the terminal can take back.
func (l *live) changing(now time.Time, running []*step, columns, height int) []text {
	var lines []text
	for i, s := range running {
		next := l.running(now, s, columns)
		rest := len(running) - i - 1
		if room := height - 1 - len(lines); len(next) > room || rest > 0 && len(next) >= room {
			more := Truncate(fmt.Sprintf("   and %d more", rest+1), columns-1, l.utf8)
			return append(lines, text{more, l.color.Dim(more)})
		}
		lines = append(lines, next...)
	}
	return lines
}

// running is what changes of a step: spinner, title, elapsed time and the latest reason, on one row if they
// fit and else with the reason on a row of its own. Rows are cut: one that wraps could not be replaced reliably.
func (l *live) running(now time.Time, s *step, columns int) []text {
	elapsed := now.Sub(s.began)
	head := fmt.Sprintf(" %s %s", l.signs.spin(elapsed), s.title)
	tail := ""
	if elapsed >= time.Second {
		tail = "  " + Duration(elapsed.Truncate(time.Second))
	}
	room := columns - 1
	head = Truncate(head, room-displaywidth.String(tail), l.utf8)
	first := text{head + tail, l.color.Cyan(head) + l.color.Dim(tail)}
	reason := "  " + s.reason
	switch {
	case s.reason == "":
		return []text{first}
	case displaywidth.String(first.raw)+displaywidth.String(reason) <= room:
		return []text{{first.raw + reason, first.painted + l.color.Dim(reason)}}
	}
	reason = Truncate("     "+s.reason, room, l.utf8)
	return []text{first, {reason, l.color.Dim(reason)}}
}

// terminal is the size of the terminal.
func (l *live) terminal() (columns, height int) {
	if l.size != nil {
		columns, height = l.size()
	}
	if columns <= 0 {
		columns = 80
	}
	if height <= 0 {
		height = 24
	}
	return columns, height
}

// rows is how many rows lines take: a terminal that got narrower has wrapped them.
func rows(widths []int, columns int) int {
	n := 0
	for _, w := range widths {
		n += max(1, (w+columns-1)/columns)
	}
	return n
}
