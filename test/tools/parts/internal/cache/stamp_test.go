// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestKeySeparatesInputs(t *testing.T) {
	t.Parallel()
	if Key("ab", "c") == Key("a", "bc") {
		t.Error("inputs that differ only in where they are split have the same key")
	}
	if Key("a", "b") != Key("a", "b") {
		t.Error("the same inputs have different keys")
	}
}

func TestStamp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(t *testing.T, dir Dir, file string)
		key    string
		want   bool
	}{
		{"unchanged", func(*testing.T, Dir, string) {}, "key", true},
		{"other inputs", func(*testing.T, Dir, string) {}, "other", false},
		{"file gone", func(t *testing.T, _ Dir, file string) { must(t, os.Remove(file)) }, "key", false},
		{"file cut off", func(t *testing.T, _ Dir, file string) { must(t, os.Truncate(file, 1)) }, "key", false},
		{"stamp dropped", func(t *testing.T, dir Dir, _ string) { must(t, dir.DropStamp("part")) }, "key", false},
		{"stamp unreadable", func(t *testing.T, dir Dir, _ string) {
			must(t, os.WriteFile(dir.stampPath("part"), []byte("{"), 0o644))
		}, "key", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := Dir(t.TempDir())
			file := filepath.Join(string(dir), "folder", "file")
			must(t, dir.WriteFile(file, []byte("content"), 0o644))
			must(t, dir.SetStamp("part", "key", "test", []string{filepath.Dir(file)}))
			test.change(t, dir, file)
			if _, got := dir.Stamp("part", test.key); got != test.want {
				t.Errorf("Stamp() = %v, want %v", got, test.want)
			}
		})
	}
}

func TestStampOfMissingOutput(t *testing.T) {
	t.Parallel()
	dir := Dir(t.TempDir())
	if err := dir.SetStamp("part", "key", "test", []string{filepath.Join(string(dir), "none")}); err == nil {
		t.Error("SetStamp() of a file that isn't there: no error")
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	dir := Dir(t.TempDir())
	release, err := dir.Lock(t.Context(), func() { t.Error("waited for a free lock") })
	must(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	waited := false
	if _, err := dir.Lock(ctx, func() { waited = true }); !errors.Is(err, context.DeadlineExceeded) || !waited {
		t.Errorf("second Lock() = %v, waited %v, want to wait until the deadline", err, waited)
	}
	must(t, os.MkdirAll(filepath.Join(dir.Temp(), "left"), 0o755))
	release()
	release, err = dir.Lock(t.Context(), func() {})
	must(t, err)
	defer release()
	if _, err := os.Stat(dir.Temp()); !os.IsNotExist(err) {
		t.Errorf("what a killed run left in the temporary folder is still there: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
