// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// orphanVariable makes TestDiesWithItsParent the parent that dies.
const orphanVariable = "TESTENV_ORPHAN"

func TestDiesWithItsParent(t *testing.T) {
	if os.Getenv(orphanVariable) != "" {
		fmt.Println("dir=" + env.Dir)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiesWithItsParent$")
	cmd.Env = append(os.Environ(), orphanVariable+"=1", "TMPDIR="+shortTemp(t))
	out, err := cmd.Output()
	if err == nil {
		t.Fatalf("the child didn't die: %s", out)
	}
	_, dir, _ := strings.Cut(string(out), "dir=")
	dir = strings.TrimSpace(dir)
	if dir == "" {
		t.Fatalf("no folder in %q", out)
	}
	for range 200 {
		if len(processesWith(t, dir)) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("still running: %q", processesWith(t, dir))
}

// shortTemp is t.TempDir with a path that a unix socket can be in.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "o") //nolint:usetesting // t.TempDir has the test's name in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// processesWith finds the command lines that name a folder.
func processesWith(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if line, err := os.ReadFile(f); err == nil && strings.Contains(string(line), dir) {
			out = append(out, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return out
}
