// SPDX-License-Identifier: Apache-2.0

package event

import (
	"fmt"
	"time"
)

// Kind says what an event tells.
type Kind string

// The kinds of events.
const (
	// Start opens a step; every Start is closed by one Done, Skip or Fail of the same Step.
	Start Kind = "start"
	// Progress says why a step still waits, or how far it is. Only the latest matters.
	Progress Kind = "progress"
	// Done closes a step that did its work.
	Done Kind = "done"
	// Skip closes a step that had nothing to do, or will not be done.
	Skip Kind = "skip"
	// Fail closes a step that failed.
	Fail Kind = "fail"
	// Note is a line for people that belongs to no step's outcome.
	Note Kind = "note"
	// Warn is a note that people should not miss.
	Warn Kind = "warn"
)

// Event is one thing that happened.
type Event struct {
	// Time is when it happened; a sink fills it in when it is zero.
	Time time.Time `json:"time"`
	// Kind says what the event tells.
	Kind Kind `json:"kind"`
	// Step is the stable machine name of the step, for example "wait-infrastructure"; empty outside of steps.
	Step string `json:"step,omitempty"`
	// Message is for people: the title at Start, the blocking reason at Progress, the outcome at the end.
	Message string `json:"message,omitempty"`
	// Fields are extra facts for machines, never secrets.
	Fields map[string]string `json:"fields,omitempty"`
}

// Sink receives events. Implementations must be safe for concurrent use and must not block for long.
type Sink interface {
	Send(Event)
}

// Func makes a function a Sink.
type Func func(Event)

// Send calls f.
func (f Func) Send(e Event) { f(e) }

// Discard is a Sink that forgets everything.
type Discard struct{}

// Send does nothing.
func (Discard) Send(Event) {}

// Notef sends a Note; a nil sink is allowed.
func Notef(s Sink, format string, args ...any) { send(s, Note, "", format, args...) }

// Warnf sends a Warn; a nil sink is allowed.
func Warnf(s Sink, format string, args ...any) { send(s, Warn, "", format, args...) }

// Progressf sends the latest reason why a step still waits; a nil sink is allowed.
func Progressf(s Sink, step, format string, args ...any) { send(s, Progress, step, format, args...) }

// Startf opens a step; a nil sink is allowed.
func Startf(s Sink, step, format string, args ...any) { send(s, Start, step, format, args...) }

// Donef closes a step; a nil sink is allowed.
func Donef(s Sink, step, format string, args ...any) { send(s, Done, step, format, args...) }

// Skipf closes a step that had nothing to do; a nil sink is allowed.
func Skipf(s Sink, step, format string, args ...any) { send(s, Skip, step, format, args...) }

// Failf closes a step that failed; a nil sink is allowed.
func Failf(s Sink, step, format string, args ...any) { send(s, Fail, step, format, args...) }

func send(s Sink, k Kind, step, format string, args ...any) {
	if s == nil {
		return
	}
	s.Send(Event{Kind: k, Step: step, Message: fmt.Sprintf(format, args...)})
}
