// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoTerminal says that a question can't be asked, because nobody would see it or could answer.
var ErrNoTerminal = errors.New("can't ask for confirmation: standard input and standard error are not both terminals")

// Confirm asks a yes-or-no question; only "y" and "yes" are a yes. A cancelled context ends the wait with its cause.
func Confirm(ctx context.Context, s Streams, question string) (bool, error) {
	if !s.CanPrompt() {
		return false, ErrNoTerminal
	}
	if _, err := fmt.Fprintf(s.ErrOut, "%s [y/N] ", Fold(question)); err != nil {
		return false, fmt.Errorf("ask for confirmation: %w", err)
	}
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1) // a read of a terminal can't be cancelled: it ends with the process
	go func() {
		line, err := bufio.NewReader(s.In).ReadString('\n')
		got <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(s.ErrOut)
		return false, fmt.Errorf("ask for confirmation: %w", context.Cause(ctx))
	case a := <-got:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return false, fmt.Errorf("read the answer: %w", a.err)
		}
		if errors.Is(a.err, io.EOF) {
			_, _ = fmt.Fprintln(s.ErrOut)
		}
		word := strings.ToLower(strings.TrimSpace(a.line))
		return word == "y" || word == "yes", nil
	}
}
