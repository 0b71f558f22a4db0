// SPDX-License-Identifier: Apache-2.0

//go:build linux

package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo terminal of 60 columns: what is written to tty comes out of screen.
func openTerminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: 60, Row: 20}); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return screen, tty
}

// start starts a command with a terminal as all of its streams; wait gives what a person saw, and the exit code.
func start(t *testing.T, cmd *exec.Cmd, screen, tty *os.File) (wait func() (seen string, code int)) {
	t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	var out bytes.Buffer
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(&out, screen) // ends with EIO when the program is gone
		close(done)
	}()
	return func() (string, int) {
		err := cmd.Wait()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("the terminal is still open")
		}
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			return out.String(), exit.ExitCode()
		case err != nil:
			t.Fatal(err)
		}
		return out.String(), 0
	}
}

// onTerminal runs the program on a terminal.
func onTerminal(t *testing.T, env []string, args ...string) (seen string, code int) {
	t.Helper()
	screen, tty := openTerminal(t)
	cmd := program(t, args...)
	cmd.Env = append(cmd.Env, env...)
	return start(t, cmd, screen, tty)()
}

func TestOnATerminal(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		env    []string
		args   []string
		code   int
		colour bool
	}{
		{"colours", nil, []string{"nosuch"}, 2, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, []string{"nosuch"}, 2, false},
		{"TERM=dumb", []string{"TERM=dumb"}, []string{"nosuch"}, 2, false},
		{"--color never", nil, []string{"--color", "never", "version", "nosuch"}, 2, false},
		{"help has none", nil, []string{"--help"}, 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seen, code := onTerminal(t, c.env, c.args...)
			if code != c.code || strings.Contains(seen, "\x1b[") != c.colour {
				t.Errorf("exit code %d, sees %q", code, seen)
			}
		})
	}
}

func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	seen, _ := onTerminal(t, nil, "version", "--help")
	_, flags, _ := strings.Cut(seen, "Flags:")
	for line := range strings.Lines(flags) {
		if len(strings.TrimRight(line, "\r\n")) > 60 {
			t.Errorf("too long for 60 columns: %q", line)
		}
	}
}
