// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// Info describes a step for help texts, completion and plans.
type Info struct {
	// Name is the stable machine name, for example "wait-infrastructure".
	Name string `json:"name"`
	// Title says what the step does, as a line of a plan.
	Title string `json:"title"`
}

// Step is one step of a flow.
type Step struct {
	Info
	// Skip says why there is nothing to do by the inputs alone; empty: there is.
	Skip func() string
	// Run does the work; it must be safe to run again after it was killed at any moment. The text says what came out.
	Run func(ctx context.Context) (outcome string, err error)
}

// runSteps runs steps in order; progress goes to sink. An error names its step.
func runSteps(ctx context.Context, steps []Step, sink event.Sink) error {
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return &stepError{step: s.Name, err: stopped(ctx, s.Name, err)}
		}
		if err := runStep(ctx, s, sink); err != nil {
			return err
		}
	}
	return nil
}

func runStep(ctx context.Context, s Step, sink event.Sink) error {
	if s.Skip != nil {
		if why := s.Skip(); why != "" {
			event.Skipf(sink, s.Name, "%s: %s", s.Title, why)
			return nil
		}
	}
	start := time.Now()
	event.Startf(sink, s.Name, "%s", s.Title)
	outcome, err := s.Run(ctx)
	if err != nil {
		return failed(ctx, s, sink, err)
	}
	if outcome == "" {
		outcome = s.Title
	}
	sendDone(sink, s.Name, outcome, time.Since(start))
	return nil
}

func sendDone(sink event.Sink, step, outcome string, took time.Duration) {
	if sink == nil {
		return
	}
	sink.Send(event.Event{
		Kind: event.Done, Step: step, Message: outcome,
		Fields: map[string]string{"seconds": fmt.Sprintf("%.1f", took.Seconds())},
	})
}

func failed(ctx context.Context, s Step, sink event.Sink, err error) error {
	event.Failf(sink, s.Name, "%s", fault.Brief(err))
	return &stepError{step: s.Name, err: stopped(ctx, s.Name, err)}
}

// stepError says in which step a flow ended.
type stepError struct {
	step string
	err  error
}

func (e *stepError) Error() string { return e.err.Error() }

func (e *stepError) Unwrap() error { return e.err }

// stopped makes the end of a context a class of its own: a cancelled run is not a failure of the step.
func stopped(ctx context.Context, step string, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		text := "interrupted in step " + step
		if why := strings.TrimSuffix(err.Error(), context.Cause(ctx).Error()); why != "" {
			text += ": " + strings.TrimSuffix(why, ": ")
		}
		return fault.WithCode(fault.Interrupted, &worded{text, err})
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		text := fmt.Sprintf("step %s: %v", step, err)
		if late := context.Cause(ctx).Error(); !strings.Contains(text, late) { // A request that had no time left has many other words for it.
			text = fmt.Sprintf("step %s: %s: %v", step, late, err)
		}
		return fault.WithCode(fault.Timeout, &worded{text, err})
	}
	return fmt.Errorf("step %s: %w", step, err)
}

// worded is an error with another text.
type worded struct {
	text string
	err  error
}

func (w *worded) Error() string { return w.text }

func (w *worded) Unwrap() error { return w.err }

// within gives everything that a package reports to the step that is under way.
func within(step string, sink event.Sink) event.Sink {
	return event.Func(func(e event.Event) {
		if e.Step != "" {
			e.Step = step
		}
		if sink != nil {
			sink.Send(e)
		}
	})
}
