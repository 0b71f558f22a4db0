// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

func TestConfirm(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, in string
		yes, tty bool
		code     fault.Code
		hint     string
	}{
		{"--yes asks nothing", "", true, false, 0, ""},
		{"yes", "y\n", false, true, 0, ""},
		{"no", "n\n", false, true, fault.Refused, ""},
		{"nobody to ask", "y\n", false, false, fault.Refused, "give --yes to go on without a question"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var errOut bytes.Buffer
			streams := ui.Streams{In: strings.NewReader(c.in), ErrOut: &errOut, InTTY: c.tty, ErrTTY: c.tty}
			f := NewFactory(streams, func(string) (string, bool) { return "", false })
			err := f.Confirm(t.Context(), c.yes, "Delete demo?")
			if fault.CodeOf(err) != c.code || strings.Join(fault.Hints(err), "") != c.hint {
				t.Errorf("got %v (%v)", err, fault.Hints(err))
			}
			if asked := strings.Contains(errOut.String(), "Delete demo?"); asked != c.tty {
				t.Errorf("asked: %v", asked)
			}
		})
	}
}
