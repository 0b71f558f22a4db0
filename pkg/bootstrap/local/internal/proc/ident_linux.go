// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Of identifies the process that has the id now.
func Of(pid int) (Ident, error) {
	start, state, err := stat(pid)
	if err != nil {
		return Ident{}, err
	}
	if state == 'Z' || state == 'X' {
		return Ident{}, fmt.Errorf("identify process %d: %w", pid, os.ErrProcessDone)
	}
	boot, err := bootID()
	return Ident{PID: pid, Start: start, Boot: boot}, err
}

// Self identifies this process.
func Self() (Ident, error) { return Of(os.Getpid()) }

// Alive says whether that very process still runs; a zombie doesn't.
func (i Ident) Alive() bool {
	if i.IsZero() {
		return false
	}
	now, err := Of(i.PID)
	return err == nil && now == i
}

// Signal sends a signal to that very process, never to another that got its id.
// It returns os.ErrProcessDone if it is gone.
func (i Ident) Signal(sig syscall.Signal) error {
	if i.IsZero() {
		return os.ErrProcessDone
	}
	fd, err := unix.PidfdOpen(i.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return os.ErrProcessDone
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM):
		if !i.Alive() { // Kernels before 5.3, and sandboxes that forbid the call: all that can be done.
			return os.ErrProcessDone
		}
		return done(unix.Kill(i.PID, sig))
	case err != nil:
		return fmt.Errorf("signal process %d: %w", i.PID, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if !i.Alive() { // Looked at only after the descriptor pins who is meant.
		return os.ErrProcessDone
	}
	return done(unix.PidfdSendSignal(fd, sig, nil, 0))
}

func done(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// Marked finds the processes of this user that carry Marker with the value dir.
func Marked(dir string) ([]Ident, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	want := []byte(Marker + "=" + dir)
	var found []Ident
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		before, err := Of(pid)
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil || !slices.ContainsFunc(bytes.Split(env, []byte{0}), func(v []byte) bool { return bytes.Equal(v, want) }) {
			continue
		}
		if before.Alive() {
			found = append(found, before)
		}
	}
	return found, nil
}

// Reap collects a dead child of this process, so that it doesn't stay as a zombie; others are no business of it.
func Reap(pid int) {
	var status unix.WaitStatus
	_, _ = unix.Wait4(pid, &status, unix.WNOHANG, nil)
}

func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data)), err
}

// stat reads start time and state; the command name in between may hold any byte, so it counts from the last ')'.
func stat(pid int) (start uint64, state byte, err error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	end := bytes.LastIndexByte(data, ')')
	fields := bytes.Fields(data[max(end, 0):])
	if end < 0 || len(fields) < 21 {
		return 0, 0, fmt.Errorf("read /proc/%d/stat: malformed", pid)
	}
	start, err = strconv.ParseUint(string(fields[20]), 10, 64)
	return start, fields[1][0], err
}
