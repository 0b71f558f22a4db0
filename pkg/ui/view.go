// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// Heartbeat is how long plain lines stay silent while a step runs: CI systems kill what says nothing.
const Heartbeat = 30 * time.Second

// ViewOptions say how a [View] shows things.
type ViewOptions struct {
	// Out is where everything goes; for progress that is standard error.
	Out io.Writer
	// Mode is how progress is shown; empty means ProgressAuto.
	Mode Progress
	// Live says that Out is a terminal whose lines can change; it matters for ProgressAuto only.
	Live bool
	// Size gives the columns and rows of the terminal at this moment; nil or 0 means 80 and 24.
	Size func() (columns, rows int)
	// UTF8 allows signs beyond ASCII.
	UTF8 bool
	// Color allows colours.
	Color bool
	// Location is the time zone of plain lines; nil means local.
	Location *time.Location
}

// View shows the events of one run. It is an event.Sink and safe for concurrent use.
// Log lines written to it stay whole and don't disturb lines that change.
type View struct {
	mu     sync.Mutex
	show   presenter
	steps  []*step
	paused int
	closed bool
	stop   chan struct{}
	ticker sync.WaitGroup
	rest   []byte
}

// step is one running step.
type step struct {
	name, title, reason string
	began               time.Time
	shown               time.Time            // when a plain line told of it last
	pending             bool                 // a reason was not told yet
	told                map[string]time.Time // when a plain line told of a reason; what is older than a Heartbeat may be left out
}

// say takes the latest reason; one that was there already is nothing new.
func (s *step) say(reason string) {
	s.pending = s.pending || s.reason != reason
	s.reason = reason
}

// presenter is one way of showing. Its methods are called one at a time.
type presenter interface {
	// show tells of an event; of is its step as it was before a closing event, nil if there is none.
	show(e event.Event, of *step, running []*step)
	// line shows one whole line of a log.
	line(text string, running []*step)
	// tick is called every interval while steps run.
	tick(now time.Time, running []*step)
	interval() time.Duration
	// pause takes everything that may change off the screen.
	pause()
}

// NewView makes a view; nothing is written before the first event.
func NewView(o ViewOptions) *View {
	return &View{show: newPresenter(o)}
}

func newPresenter(o ViewOptions) presenter {
	switch {
	case o.Mode == ProgressJSON:
		return &jsonLines{out: o.Out}
	case o.Mode == ProgressNone:
		return &quiet{plain: newPlain(o)}
	case o.Mode == ProgressPlain || !o.Live:
		return newPlain(o)
	}
	return newLive(o)
}

// Send shows an event.
func (v *View) Send(e event.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	of := v.track(e)
	v.show.show(e, of, v.visible())
	v.animate()
}

// track keeps the list of running steps and finds the one that the event is about.
func (v *View) track(e event.Event) *step {
	i := slices.IndexFunc(v.steps, func(s *step) bool { return s.name == e.Step })
	switch e.Kind {
	case event.Start:
		if i >= 0 { // started again: the earlier one was lost
			v.steps = slices.Delete(v.steps, i, i+1)
		}
		s := &step{name: e.Step, title: Fold(e.Message), began: e.Time, shown: e.Time}
		v.steps = append(v.steps, s)
		return s
	case event.Done, event.Skip, event.Fail:
		if i < 0 { // closed without a start: shown all the same
			return &step{name: e.Step, began: e.Time}
		}
		s := v.steps[i]
		v.steps = slices.Delete(v.steps, i, i+1)
		return s
	case event.Progress:
		if i < 0 {
			return nil
		}
		v.steps[i].say(Fold(e.Message))
		return v.steps[i]
	}
	return nil
}

func (v *View) visible() []*step {
	if v.paused > 0 {
		return nil
	}
	return v.steps
}

// animate runs the ticker while steps run; the caller holds the lock.
func (v *View) animate() {
	every := v.show.interval()
	if v.stop != nil || len(v.steps) == 0 || every <= 0 {
		return
	}
	stop := make(chan struct{})
	v.stop = stop
	v.ticker.Go(func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case now := <-t.C:
				v.beat(now)
			}
		}
	})
}

func (v *View) beat(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.steps) > 0 && v.paused == 0 && !v.closed {
		v.show.tick(now, v.steps)
	}
}

// Write shows whole lines of a log; a line that isn't finished waits for its end or for Close.
// It never fails: a log that can't be written must not stop the work.
func (v *View) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.rest = append(v.rest, p...)
	for {
		line, rest, found := bytes.Cut(v.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		v.show.line(string(line), v.visible())
		v.rest = rest
	}
}

// Pause takes changing lines off the screen, for a question; resume brings them back.
func (v *View) Pause() (resume func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.show.pause()
	v.paused++
	return sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.paused--
	})
}

// Close ends the view: changing lines go, the cursor is back, nothing runs any more.
// Log lines may still be written afterwards, events are dropped. Closing twice is fine.
func (v *View) Close() {
	v.mu.Lock()
	if !v.closed && len(v.rest) > 0 {
		v.show.line(string(v.rest), nil)
		v.rest = nil
	}
	v.closed = true
	v.steps = nil
	v.show.pause()
	if v.stop != nil {
		close(v.stop)
		v.stop = nil
	}
	v.mu.Unlock()
	v.ticker.Wait()
}
