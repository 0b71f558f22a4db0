// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

func TestConfirm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"y\n": true, "YES\r\n": true, " yes \n": true, "y": true,
		"\n": false, "n\n": false, "": false, "yes please\n": false, "\x00\n": false,
	} {
		var out bytes.Buffer
		s := ui.Streams{In: strings.NewReader(in), ErrOut: &out, InTTY: true, ErrTTY: true}
		got, err := ui.Confirm(t.Context(), s, "Delete\ncluster demo?")
		if got != want || err != nil {
			t.Errorf("answer %q: %v, %v", in, got, err)
		}
		if !strings.HasPrefix(out.String(), "Delete cluster demo? [y/N] ") {
			t.Errorf("asked %q", out.String())
		}
	}
}

func TestConfirmNeedsTerminals(t *testing.T) {
	t.Parallel()
	for _, s := range []ui.Streams{{InTTY: true}, {ErrTTY: true}, {OutTTY: true}} {
		s.In, s.ErrOut = strings.NewReader("y\n"), io.Discard
		if ok, err := ui.Confirm(t.Context(), s, "Sure?"); ok || !errors.Is(err, ui.ErrNoTerminal) {
			t.Errorf("%+v: %v, %v", s, ok, err)
		}
	}
}

func TestConfirmEndsWithItsContext(t *testing.T) {
	t.Parallel()
	in, write := io.Pipe()
	t.Cleanup(func() { _ = write.Close() })
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("Ctrl-C")
	cancel(cause)
	ok, err := ui.Confirm(ctx, ui.Streams{In: in, ErrOut: io.Discard, InTTY: true, ErrTTY: true}, "Sure?")
	if ok || !errors.Is(err, cause) {
		t.Errorf("got %v, %v", ok, err)
	}
}
