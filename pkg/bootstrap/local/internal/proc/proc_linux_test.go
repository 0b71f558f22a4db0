// SPDX-License-Identifier: Apache-2.0

package proc_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
)

func sleeper(t *testing.T, env ...string) (*exec.Cmd, proc.Ident) {
	t.Helper()
	s := proc.NewSpawner()
	cmd := exec.Command("sleep", "60")
	cmd.Env = append(os.Environ(), env...)
	if err := s.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s.Close()
	})
	ident, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, ident
}

func TestIdent(t *testing.T) {
	t.Parallel()
	cmd, ident := sleeper(t)
	if !ident.Alive() {
		t.Error("it isn't alive")
	}
	for name, other := range map[string]proc.Ident{
		"started at another time": {PID: ident.PID, Start: ident.Start + 1, Boot: ident.Boot},
		"of another boot":         {PID: ident.PID, Start: ident.Start, Boot: "other"},
		"nobody":                  {},
	} {
		if err := other.Signal(syscall.SIGKILL); other.Alive() || !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !ident.Alive() {
		t.Fatal("a process with the same id was signalled")
	}
	if err := ident.Signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for ident.Alive() && time.Now().Before(deadline) { // A zombie, until it is waited for.
		time.Sleep(time.Millisecond)
	}
	if ident.Alive() {
		t.Error("a zombie counts as alive")
	}
	_ = cmd.Wait()
}

func TestMarked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, ident := sleeper(t, proc.Marker+"="+dir)
	sleeper(t, proc.Marker+"="+dir+"/other")
	found, err := proc.Marked(dir)
	if err != nil || !slices.Equal(found, []proc.Ident{ident}) {
		t.Errorf("Marked: %v, %v, want %v", found, err, ident)
	}
}

func TestClosedSpawnerLeavesNothing(t *testing.T) {
	t.Parallel()
	s := proc.NewSpawner()
	cmd := exec.Command("sleep", "60")
	if err := s.Start(cmd); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Wait: %v", err)
	}
}

func TestFailedExecIsExplained(t *testing.T) {
	t.Parallel()
	s := proc.NewSpawner()
	defer s.Close()
	file := t.TempDir() + "/rubbish"
	for mode, want := range map[os.FileMode]string{0o600: "not executable", 0o700: "not a program for linux"} {
		if err := os.WriteFile(file, []byte("rubbish"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := s.Start(exec.Command(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
}

func TestFreeBytes(t *testing.T) {
	t.Parallel()
	if free, err := proc.FreeBytes(t.TempDir()); err != nil || free == 0 {
		t.Errorf("FreeBytes: %d, %v", free, err)
	}
}
