// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"fmt"
	"slices"
	"strings"
)

// List is several faults that are reported together, one line each.
type List struct {
	// Faults are the single faults, in the order in which they were found.
	Faults []error
}

// Add appends err if it is not nil. The faults of a *List are taken over one by one, each with what was said around the
// list: text, class, hint. A fault that says what an earlier one says is left out: one cause, met on two ways, is one line.
func (l *List) Add(err error) {
	if err == nil {
		return
	}
	more, outer := inside(err)
	if more == nil {
		if !l.says(err.Error()) {
			l.Faults = append(l.Faults, err)
		}
		return
	}
	before, after, _ := strings.Cut(err.Error(), more.Error())
	for _, f := range more.Faults {
		if before+after != "" {
			f = &worded{text: before + f.Error() + after, err: f}
		}
		for _, o := range slices.Backward(outer) {
			f = &Error{Code: o.Code, Err: f, Hint: o.Hint, Fallback: o.Fallback}
		}
		l.Add(f)
	}
}

// inside finds the list that err is, or wraps on one single way, and the classes and hints around it, outermost first.
func inside(err error) (*List, []*Error) {
	var outer []*Error
	for err != nil {
		switch e := err.(type) { //nolint:errorlint // this walks the chain itself
		case *List:
			return e, outer
		case *Error:
			outer = append(outer, e)
			err = e.Err
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// worded is a fault with the text that stood around the list it was in.
type worded struct {
	text string
	err  error
}

func (w *worded) Error() string { return w.text }

func (w *worded) Unwrap() error { return w.err }

func (l *List) says(text string) bool {
	return slices.ContainsFunc(l.Faults, func(f error) bool { return f.Error() == text })
}

// Err returns nil without faults, the only fault if there is one, else the list.
func (l *List) Err() error {
	switch len(l.Faults) {
	case 0:
		return nil
	case 1:
		return l.Faults[0]
	}
	return l
}

// Error lists the faults, one line each.
func (l *List) Error() string {
	s := fmt.Sprintf("%d faults:", len(l.Faults))
	for _, f := range l.Faults {
		s += "\n  - " + f.Error()
	}
	return s
}

// Unwrap returns the single faults, so that errors.Is and errors.As see each.
func (l *List) Unwrap() []error { return l.Faults }
