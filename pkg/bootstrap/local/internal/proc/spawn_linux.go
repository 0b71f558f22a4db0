// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Spawner starts processes that are killed when this process ends, however it ends.
//
// The kernel sends the death signal when the thread that forked ends, so all of
// them are forked by one thread that lives as long as the Spawner.
type Spawner struct {
	start chan spawn
	done  chan struct{}
}

type spawn struct {
	cmd    *exec.Cmd
	result chan error
}

// NewSpawner starts the thread; Close ends it.
func NewSpawner() *Spawner {
	s := &Spawner{start: make(chan spawn), done: make(chan struct{})}
	go s.run()
	return s
}

// run starts processes on a thread that ends with it: the thread is locked and never unlocked. The main thread of a
// process doesn't end before the process does, so it is not taken: it is held until another one has the work.
func (s *Spawner) run() {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		taken := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(taken)
			s.serve()
		}()
		<-taken
		runtime.UnlockOSThread()
		return
	}
	s.serve()
}

func (s *Spawner) serve() {
	defer close(s.done)
	for r := range s.start {
		r.result <- r.cmd.Start()
	}
}

// Start starts cmd as the head of a process group of its own.
func (s *Spawner) Start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	r := spawn{cmd: cmd, result: make(chan error, 1)}
	s.start <- r
	return explain(cmd.Path, <-r.result)
}

// Close ends the thread, and with it every process that still runs.
func (s *Spawner) Close() {
	close(s.start)
	<-s.done
}

// Detach starts cmd in a session of its own: it outlives this process and its terminal.
func Detach(cmd *exec.Cmd) (pid int, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, explain(cmd.Path, err)
	}
	pid = cmd.Process.Pid
	return pid, cmd.Process.Release()
}

// SignalGroup signals the process group that a child of this process heads. The
// child must not have been waited for: until then its id can't belong to another.
func SignalGroup(pid int, sig syscall.Signal) error { return done(unix.Kill(-pid, sig)) }

// Umask makes files that this process and its children create private.
func Umask() { unix.Umask(0o077) }

// explain says what the bare errno of a failed exec means.
func explain(path string, err error) error {
	var wrapped *fs.PathError
	if errors.As(err, &wrapped) {
		err = wrapped.Err // It names the path once more.
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("run %s: not a program for %s/%s: %w", path, runtime.GOOS, runtime.GOARCH, err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("run %s: not executable, or on a file system mounted noexec: %w", path, err)
	}
	return fmt.Errorf("run %s: %w", path, err)
}
