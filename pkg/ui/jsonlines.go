// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// jsonLines shows every event as one JSON object on one line.
type jsonLines struct{ out io.Writer }

// jsonEvent is an event as scripts see it: those of pkg/event and how long a closed step took.
type jsonEvent struct {
	event.Event
	// Seconds is how long the step ran; at its end only.
	Seconds *float64 `json:"seconds,omitempty"`
}

func (j *jsonLines) show(e event.Event, of *step, _ []*step) {
	out := jsonEvent{Event: e}
	switch e.Kind {
	case event.Progress:
		if of != nil && !of.pending {
			return // the same reason again
		}
		if of != nil {
			of.pending = false
		}
	case event.Done, event.Fail, event.Skip:
		if of != nil {
			took := e.Time.Sub(of.began).Seconds()
			out.Seconds = &took
		}
	}
	writeJSONLine(j.out, out)
}

func (j *jsonLines) line(text string, _ []*step) { _, _ = fmt.Fprintln(j.out, text) }

func (j *jsonLines) tick(time.Time, []*step) {}

func (j *jsonLines) interval() time.Duration { return 0 }

func (j *jsonLines) pause() {}

// writeJSONLine writes value as one line; what people read stays readable, so < and > are not escaped.
func writeJSONLine(out io.Writer, value any) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
}
