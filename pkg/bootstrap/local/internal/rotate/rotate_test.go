// SPDX-License-Identifier: Apache-2.0

package rotate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriterRotatesAndRemembers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w.limit = 100
	for i := range 50 {
		if _, err := fmt.Fprintf(w, "line %02d\n\n", i); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = w.Write([]byte("begun"))
	_, _ = w.Write([]byte(" and cut " + strings.Repeat("x", 2*maxLine)))
	last := w.Last(3)
	if len(last) != 3 || last[0] != "line 48" || last[1] != "line 49" || !strings.HasPrefix(last[2], "begun and cut x") || len(last[2]) > maxLine {
		t.Errorf("Last: %.40q", last)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + ".1"} {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	w.Forget()
	if len(w.Last(5)) != 0 {
		t.Error("it remembers what it was to forget")
	}
	if n, err := w.Write([]byte("more")); n != 4 || err != nil {
		t.Errorf("a log that is gone stops the process: %d, %v", n, err)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.log")
	if lines, err := Tail(path, 5); lines != nil || err != nil {
		t.Errorf("missing: %q, %v", lines, err)
	}
	for file, content := range map[string]string{path: "3\n4\n", path + ".1": "1\n2\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range map[int][]string{0: nil, 1: {"4"}, 3: {"2", "3", "4"}, 9: {"1", "2", "3", "4"}} {
		got, err := Tail(path, n)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d: %s", n, diff)
		}
	}
}
