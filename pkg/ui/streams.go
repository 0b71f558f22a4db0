// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"io"

	"golang.org/x/term"
)

// Streams are the three standard streams of one run and what is known about them.
// A test sets the fields as it likes; [NewStreams] finds them out.
type Streams struct {
	// In is where answers and input given as "-" come from.
	In io.Reader
	// Out gets the result of a command and nothing else.
	Out io.Writer
	// ErrOut gets everything else: progress, logs, warnings, questions, errors.
	ErrOut io.Writer
	// InTTY, OutTTY and ErrTTY say which of them are terminals.
	InTTY, OutTTY, ErrTTY bool
	// Size gives the columns and rows of the terminal behind ErrOut at this moment, 0 if not known. Nil means unknown.
	Size func() (columns, rows int)
}

// NewStreams looks at the three streams, which are terminals only if they are files.
func NewStreams(in io.Reader, out, errOut io.Writer) Streams {
	return Streams{
		In: in, Out: out, ErrOut: errOut,
		InTTY: isTerminal(in), OutTTY: isTerminal(out), ErrTTY: isTerminal(errOut),
		Size: func() (int, int) { return size(errOut) },
	}
}

// CanPrompt says whether a question would reach a person: both the question's and the answer's stream are terminals.
func (s Streams) CanPrompt() bool { return s.InTTY && s.ErrTTY }

// Columns is the width of the terminal behind ErrOut, 0 if it isn't known.
func (s Streams) Columns() int {
	if s.Size == nil {
		return 0
	}
	columns, _ := s.Size()
	return columns
}

// descriptor is what *os.File has and a buffer has not.
type descriptor interface{ Fd() uintptr }

func isTerminal(stream any) bool {
	f, ok := stream.(descriptor)
	return ok && term.IsTerminal(int(f.Fd()))
}

func size(stream any) (columns, rows int) {
	f, ok := stream.(descriptor)
	if !ok {
		return 0, 0
	}
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, rows
}
