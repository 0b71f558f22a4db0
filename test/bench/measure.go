// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// killDelay is how long a program may take to end after it was asked to.
const killDelay = 30 * time.Second

// cost is what a run of a program took.
type cost struct {
	wall time.Duration
	// rss is the most memory that it had resident, in bytes.
	rss float64
}

// measure runs a program and returns its standard output. The error holds the end of what it said.
//
// What the kernel reports as the most memory of a process includes the moment before it became that program, when it
// still was a copy of this one. A number that isn't larger than this program's own says nothing, and is refused.
func measure(ctx context.Context, dir string, env []string, argv ...string) (cost, string, error) {
	var stdout, stderr bytes.Buffer
	cmd := command(ctx, dir, env, argv...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	c := cost{wall: time.Since(began)}
	if err != nil {
		return c, "", fmt.Errorf("run %s: %w: %s", strings.Join(argv, " "), err, tail(stderr.String()+stdout.String()))
	}
	c.rss = maxRSS(cmd.ProcessState)
	if own := ownPeak(); c.rss <= own {
		c.rss = 0
	}
	return c, stdout.String(), nil
}

// output runs a program that isn't measured.
func output(ctx context.Context, argv ...string) (string, error) {
	_, out, err := measure(ctx, "", os.Environ(), argv...)
	return out, err
}

func command(ctx context.Context, dir string, env []string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // our own commands
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, killDelay
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd
}

func tail(text string) string {
	const most = 1500
	text = strings.TrimSpace(text)
	return text[max(0, len(text)-most):]
}

// service is a program that runs until it is stopped.
type service struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func startService(ctx context.Context, env []string, argv ...string) (*service, error) {
	s := &service{cmd: command(context.WithoutCancel(ctx), "", env, argv...), done: make(chan struct{})}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	return s, nil
}

func (s *service) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(killDelay):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
}
