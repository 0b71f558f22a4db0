// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Code is the exit code that an error leads to. The table is part of the documented interface (docs/exit-codes.md).
type Code int

// The exit codes.
const (
	// Failed is the code of any error without a class of its own.
	Failed Code = 1
	// Usage is a wrong flag, argument or unreadable or malformed input; nothing was done.
	Usage Code = 2
	// Timeout is a wait that ended at its deadline; what exists is kept and the command can be run again.
	Timeout Code = 3
	// Refused is a preflight that found faults before anything was changed.
	Refused Code = 4
	// Partial is a command that stopped half-way; running it again goes on.
	Partial Code = 5
	// Interrupted is Ctrl-C or SIGTERM; running the command again goes on.
	Interrupted Code = 130
)

// Error is an error with a class and a hint.
type Error struct {
	// Code is the class; zero means: that of the wrapped error, or Failed.
	Code Code
	// Err is what failed and why, in one line.
	Err error
	// Hint says what to do next, in one line, preferably a command. It may be empty.
	Hint string
}

// Error returns the text of the wrapped error; the hint is shown separately.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// WithHint attaches a hint; err nil gives nil.
func WithHint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Error{Err: err, Hint: fmt.Sprintf(format, args...)}
}

// WithCode attaches a class; err nil gives nil.
func WithCode(code Code, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: code, Err: err}
}

// Usagef makes an error of class Usage.
func Usagef(format string, args ...any) error {
	return &Error{Code: Usage, Err: fmt.Errorf(format, args...)}
}

// Refusedf makes an error of class Refused.
func Refusedf(format string, args ...any) error {
	return &Error{Code: Refused, Err: fmt.Errorf(format, args...)}
}

// Timeoutf makes an error of class Timeout.
func Timeoutf(format string, args ...any) error {
	return &Error{Code: Timeout, Err: fmt.Errorf(format, args...)}
}

// CodeOf finds the class of err: the outermost class in its chain, Interrupted or
// Timeout for a bare context error, Failed for anything else, 0 for nil.
func CodeOf(err error) Code {
	if err == nil {
		return 0
	}
	for e := err; e != nil; {
		var f *Error
		if !errors.As(e, &f) {
			break
		}
		if f.Code != 0 {
			return f.Code
		}
		e = f.Err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	return Failed
}

// Hints collects the hints of err and of everything it wraps or joins, outermost first, without repeats.
func Hints(err error) []string {
	var out []string
	seen := map[string]bool{}
	var walk func(error)
	walk = func(e error) {
		if e == nil {
			return
		}
		if f, ok := e.(*Error); ok && //nolint:errorlint // this walks the chain itself
			f.Hint != "" && !seen[f.Hint] {
			seen[f.Hint] = true
			out = append(out, f.Hint)
		}
		switch u := e.(type) { //nolint:errorlint // this walks the chain itself
		case interface{ Unwrap() error }:
			walk(u.Unwrap())
		case interface{ Unwrap() []error }:
			for _, c := range u.Unwrap() {
				walk(c)
			}
		}
	}
	walk(err)
	return out
}

// List is several faults that are reported together, one line each.
type List struct {
	// Faults are the single faults, in the order in which they were found.
	Faults []error
}

// Add appends err if it is not nil; the faults of a *List are taken over one by one. A fault that says what an earlier
// one says is left out: one cause, met on two ways, is one line.
func (l *List) Add(err error) {
	var more *List
	switch {
	case err == nil:
	case errors.As(err, &more):
		for _, f := range more.Faults {
			l.Add(f)
		}
	case !l.says(err.Error()):
		l.Faults = append(l.Faults, err)
	}
}

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
