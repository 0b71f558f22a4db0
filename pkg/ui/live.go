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
	width  func() int
	utf8   bool
	color  Palette
	signs  symbols
	drawn  []int // columns of each changing line on the screen
	hidden bool  // the cursor is hidden
}

func newLive(o ViewOptions) *live {
	return &live{out: o.Out, width: o.Width, utf8: o.UTF8, color: Palette{On: o.Color}, signs: newSymbols(o.UTF8)}
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
	columns := l.columns()
	var b strings.Builder
	if up := rows(l.drawn, columns); up > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA%s", up, clearBelow)
	}
	b.WriteString(stays)
	l.drawn = l.drawn[:0]
	for _, s := range running {
		text := l.running(now, s, columns)
		l.drawn = append(l.drawn, displaywidth.String(text.raw))
		b.WriteString(text.painted + "\n")
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

// running is the changing line of a step: spinner, title, elapsed time and the latest reason,
// cut to one row: a line that wraps could not be replaced reliably.
func (l *live) running(now time.Time, s *step, columns int) text {
	elapsed := now.Sub(s.began)
	head := fmt.Sprintf(" %s %s", l.signs.spin(elapsed), s.title)
	tail := ""
	if elapsed >= time.Second {
		tail = "  " + Duration(elapsed.Truncate(time.Second))
	}
	if s.reason != "" {
		tail += "  " + s.reason
	}
	head = Truncate(head, columns-1, l.utf8)
	tail = Truncate(tail, columns-1-displaywidth.String(head), l.utf8)
	return text{raw: head + tail, painted: l.color.Cyan(head) + l.color.Dim(tail)}
}

func (l *live) columns() int {
	if l.width != nil {
		if w := l.width(); w > 0 {
			return w
		}
	}
	return 80
}

// rows is how many rows lines take: a terminal that got narrower has wrapped them.
func rows(widths []int, columns int) int {
	n := 0
	for _, w := range widths {
		n += max(1, (w+columns-1)/columns)
	}
	return n
}
