// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"bytes"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestUseColor(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		mode ui.Color
		tty  bool
		env  []string
		want bool
	}{
		{"terminal", ui.ColorAuto, true, nil, true},
		{"pipe", ui.ColorAuto, false, nil, false},
		{"NO_COLOR", ui.ColorAuto, true, []string{"NO_COLOR", "1"}, false},
		{"NO_COLOR wins over CLICOLOR_FORCE", ui.ColorAuto, true, []string{"NO_COLOR", "1", "CLICOLOR_FORCE", "1"}, false},
		{"dumb terminal", ui.ColorAuto, true, []string{"TERM", "dumb"}, false},
		{"forced in a pipe", ui.ColorAuto, false, []string{"CLICOLOR_FORCE", "1"}, true},
		{"CLICOLOR_FORCE=0 forces nothing", ui.ColorAuto, false, []string{"CLICOLOR_FORCE", "0"}, false},
		{"always wins over NO_COLOR", ui.ColorAlways, false, []string{"NO_COLOR", "1"}, true},
		{"never", ui.ColorNever, true, []string{"CLICOLOR_FORCE", "1"}, false},
	}
	for _, c := range cases {
		if got := ui.UseColor(c.mode, c.tty, environment(c.env...)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestUseUTF8(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, goos string
		env        []string
		want       bool
	}{
		{"nothing set", "linux", nil, false},
		{"LANG", "linux", []string{"LANG", "de_DE.UTF-8"}, true},
		{"C", "linux", []string{"LANG", "C"}, false},
		{"C.utf8", "linux", []string{"LANG", "C.utf8"}, true},
		{"LC_ALL wins", "linux", []string{"LANG", "en_US.UTF-8", "LC_ALL", "C"}, false},
		{"macOS", "darwin", nil, true},
	}
	for _, c := range cases {
		if got := ui.UseUTF8(c.goos, environment(c.env...)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestUseLive(t *testing.T) {
	t.Parallel()
	if ui.UseLive(true, environment("TERM", "dumb")) || ui.UseLive(false, environment()) || !ui.UseLive(true, environment("TERM", "xterm")) {
		t.Error("lines that change are for terminals that can move their cursor, and for those only")
	}
}

func TestBuffersAreNoTerminals(t *testing.T) {
	t.Parallel()
	s := ui.NewStreams(&bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{})
	if s.InTTY || s.OutTTY || s.ErrTTY || s.CanPrompt() || s.Columns() != 0 || (ui.Streams{}).Columns() != 0 {
		t.Errorf("got %+v", s)
	}
}
