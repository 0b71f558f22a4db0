// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// daemonPoll is how often the daemon is asked whether it has started or ended.
const daemonPoll = 200 * time.Millisecond

func (e Engine) pidFile() string { return filepath.Join(e.Dir, "dockerd.pid") }

// LogFile is where the daemon's log is.
func (e Engine) LogFile() string { return filepath.Join(e.Dir, "dockerd.log") }

// startDaemon starts the daemon, which stays when this program ends, and
// waits until it answers.
func (e Engine) startDaemon(ctx context.Context, path string) error {
	if err := os.MkdirAll(e.Dir, 0o700); err != nil {
		return err
	}
	log, err := os.Create(e.LogFile())
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("dockerd", "--data-root", filepath.Join(e.Dir, "data"), "--pidfile", e.pidFile())
	cmd.Env = append(os.Environ(), "PATH="+path)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	e.say("starting dockerd, its log is %s", e.LogFile())
	if err := cmd.Start(); err != nil {
		return unavailable("start dockerd: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		if _, err := Version(ctx); err == nil {
			return nil
		}
		select {
		case err := <-ended:
			return unavailable("dockerd ended: %v\n%s", err, e.endOfLog())
		case <-ctx.Done():
			_ = cmd.Process.Signal(syscall.SIGTERM)
			return unavailable("dockerd doesn't answer: %w\n%s", ctx.Err(), e.endOfLog())
		case <-time.After(daemonPoll):
		}
	}
}

func (e Engine) endOfLog() string {
	data, err := os.ReadFile(e.LogFile())
	if err != nil {
		return err.Error()
	}
	return lastLines(string(data), 8)
}

// stopDaemon ends the daemon that startDaemon started, and with it all
// containers. Another one is left alone.
func (e Engine) stopDaemon(ctx context.Context) error {
	data, err := os.ReadFile(e.pidFile())
	if errors.Is(err, os.ErrNotExist) {
		e.say("no engine was started here")
		return nil
	}
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return fmt.Errorf("read %s: %w", e.pidFile(), err)
	}
	if !isDaemon(pid) {
		e.say("the engine that was started here has ended already")
		return removeFile(e.pidFile())
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("end dockerd, process %d: %w", pid, err)
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for isDaemon(pid) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("dockerd, process %d, was told to end and goes on: %w", pid, ctx.Err())
		case <-time.After(daemonPoll):
		}
	}
	e.say("dockerd has ended")
	return removeFile(e.pidFile())
}

// isDaemon says whether a process is a Docker daemon: numbers of ended
// processes are given to others.
func isDaemon(pid int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.TrimSpace(string(name)) == "dockerd"
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
