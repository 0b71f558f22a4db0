// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// settle is how long a reason that changes quickly is held back, so that a counter doesn't flood a log.
const settle = time.Second

// plain shows one line whenever something changes, without escape sequences.
type plain struct {
	out   io.Writer
	zone  *time.Location
	color Palette
}

func newPlain(o ViewOptions) *plain {
	zone := o.Location
	if zone == nil {
		zone = time.Local
	}
	return &plain{out: o.Out, zone: zone, color: Palette{On: o.Color}}
}

func (p *plain) show(e event.Event, of *step, _ []*step) {
	switch e.Kind {
	case event.Progress:
		p.progress(e, of)
	case event.Start:
		p.put(e.Time, "start", titled(e.Step, Fold(e.Message)))
	case event.Done:
		p.put(e.Time, p.color.Green("done"), p.outcome(e, of))
	case event.Skip:
		p.put(e.Time, "skip", p.outcome(e, of))
	case event.Fail:
		p.put(e.Time, p.color.Red("fail"), p.outcome(e, of))
	case event.Warn:
		p.put(e.Time, p.color.Yellow("warning"), Fold(e.Message))
	default:
		p.put(e.Time, "note", Fold(e.Message))
	}
}

// progress tells a new reason, at most one a second for each step. One that comes and goes is told once in a Heartbeat.
func (p *plain) progress(e event.Event, of *step) {
	switch {
	case of == nil:
		p.put(e.Time, "note", titled(e.Step, Fold(e.Message)))
	case isNews(of, e.Time):
		p.wait(e.Time, of)
	}
}

func isNews(s *step, now time.Time) bool {
	at, told := s.told[s.reason]
	return s.pending && now.Sub(s.shown) >= settle && (!told || now.Sub(at) >= Heartbeat)
}

func (p *plain) wait(now time.Time, s *step) {
	s.pending, s.shown = false, now
	text := s.reason
	if text == "" {
		text = "still running"
	}
	maps.DeleteFunc(s.told, func(_ string, at time.Time) bool { return now.Sub(at) >= Heartbeat })
	if s.told == nil {
		s.told = map[string]time.Time{}
	}
	s.told[s.reason] = now
	p.put(now, "wait", fmt.Sprintf("%s (%s)", titled(s.name, text), Duration(now.Sub(s.began))))
}

// tick tells reasons that were held back, and that a silent step is alive.
func (p *plain) tick(now time.Time, running []*step) {
	for _, s := range running {
		quiet := now.Sub(s.shown)
		if quiet >= Heartbeat || isNews(s, now) {
			p.wait(now, s)
		}
	}
}

func (p *plain) outcome(e event.Event, of *step) string {
	text := Fold(e.Message)
	if text == "" && of != nil {
		text = of.title
	}
	if of == nil || e.Kind == event.Skip {
		return titled(e.Step, text)
	}
	return fmt.Sprintf("%s (%s)", titled(e.Step, text), Duration(e.Time.Sub(of.began)))
}

func (p *plain) put(at time.Time, word, text string) {
	_, _ = fmt.Fprintf(p.out, "%s %s %s\n", at.In(p.zone).Format(time.TimeOnly), word, text)
}

func (p *plain) line(text string, _ []*step) { _, _ = fmt.Fprintln(p.out, text) }

func (p *plain) interval() time.Duration { return settle }

func (p *plain) pause() {}

// titled puts the name of the step before a text, if there is one.
func titled(name, text string) string {
	if name == "" {
		return text
	}
	return name + ": " + text
}

// quiet shows warnings and logs only.
type quiet struct{ *plain }

func (q *quiet) show(e event.Event, of *step, running []*step) {
	if e.Kind == event.Warn {
		q.plain.show(e, of, running)
	}
}

func (q *quiet) interval() time.Duration { return 0 }
