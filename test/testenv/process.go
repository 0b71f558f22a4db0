// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// process is one running program whose output goes to a log file.
type process struct {
	name string
	log  string
	cmd  *exec.Cmd
	// exited is closed when the program has ended and was waited for.
	exited chan struct{}
}

// startProcess runs a program and appends its output to DIR/NAME.log.
//
// The program is started from, and waited for on, one locked thread: the kernel's
// "kill the child when its parent dies" is about the thread that forked.
func startProcess(dir, name, path string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), exited: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.cmd = exec.Command(path, args...) // no context: it lives until stop
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.Dir = dir
	ownGroup(p.cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer out.Close()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// stop kills the program and waits until it is gone. A nil process is stopped already.
func (p *process) stop() {
	if p == nil {
		return
	}
	killGroup(p.cmd)
	select {
	case <-p.exited:
	case <-time.After(30 * time.Second):
	}
}

// tail returns the last lines of the log.
func (p *process) tail(lines int) string {
	if p == nil {
		return ""
	}
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("last lines of %s:\n%s", p.name, shorten(lastLines(data, lines)))
}

// shorten cuts long lines: programs write whole structures into them.
func shorten(data []byte) string {
	const width = 300
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i, l := range lines {
		if len(l) > width {
			lines[i] = l[:width] + "…"
		}
	}
	return strings.Join(lines, "\n")
}

func lastLines(data []byte, lines int) []byte {
	n := 0
	for i := len(data) - 1; i >= 0; i-- {
		if data[i] == '\n' && i != len(data)-1 {
			if n++; n == lines {
				return data[i+1:]
			}
		}
	}
	return data
}
