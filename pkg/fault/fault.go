// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"context"
	"errors"
	"fmt"
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
	// Fallback says that the hint is a general one: it is left out where another hint says more.
	Fallback bool
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
