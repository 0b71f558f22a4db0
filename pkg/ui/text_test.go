// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/ui"
)

func TestTruncate(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text    string
		columns int
		utf8    bool
		want    string
	}{
		{"short", 10, true, "short"},
		{"exactly", 7, true, "exactly"},
		{"too long for it", 8, true, "too lon…"},
		{"too long for it", 8, false, "too l..."},
		{"演示集群", 5, true, "演示…"},
		{"abc", 2, false, "ab"},
		{"abc", 0, true, ""},
		{"abc", -3, true, ""},
	}
	for _, c := range cases {
		if got := ui.Truncate(c.text, c.columns, c.utf8); got != c.want {
			t.Errorf("Truncate(%q, %d, %v) = %q, want %q", c.text, c.columns, c.utf8, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                      "0.0s",
		0:                                 "0.0s",
		449 * time.Millisecond:            "0.4s",
		9990 * time.Millisecond:           "9.9s",
		41*time.Second + time.Millisecond: "41s",
		127 * time.Second:                 "2m07s",
		65 * time.Minute:                  "1h05m",
		30 * time.Hour:                    "30h00m",
	} {
		if got := ui.Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                         "",
		"  a \t b\r\n\n c ":        "a b c",
		"\x1b]0;title\x07x\u202ey": "]0;titlexy",
		"é 演示 ✓":                   "é 演示 ✓",
	} {
		if got := ui.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}
