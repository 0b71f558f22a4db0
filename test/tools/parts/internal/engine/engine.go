// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrUnavailable is returned where no container engine can run, with the
// reason. What needs one can be skipped then, and has to say so.
var ErrUnavailable = errors.New("no container engine can run here")

// How long to wait for an engine's answer, its start and its end.
const (
	answerTimeout = 10 * time.Second
	startTimeout  = time.Minute
	stopTimeout   = time.Minute
)

// Engine is the engine of this host, with what was started of it.
type Engine struct {
	// Dir holds the data, the log and the notes of an engine that was started by hand.
	Dir string
	// Settings is the folder of the kernel's settings, /proc/sys.
	Settings string
	// FrontEnd makes the program that stands before runc and returns its
	// folder. It is called only where that is needed.
	FrontEnd func(ctx context.Context) (string, error)
	// Out is where is said what happens.
	Out io.Writer
}

// Start makes sure that an engine answers, and raises the limits of the host
// that node containers need. What runs already is left as it is.
func (e Engine) Start(ctx context.Context) error {
	version, err := Version(ctx)
	if err != nil {
		if err := e.startOwn(ctx); err != nil {
			return err
		}
		if version, err = Version(ctx); err != nil {
			return unavailable("it was started and doesn't answer: %w", err)
		}
	}
	e.say("docker %s answers", version)
	if os.Geteuid() != 0 {
		return nil
	}
	return e.raiseLimits()
}

func (e Engine) startOwn(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return unavailable("none answers, and starting one needs root")
	}
	if err := e.install(ctx); err != nil {
		return err
	}
	if _, err := Version(ctx); err == nil {
		return nil // The package started its service.
	}
	path, err := e.searchPath(ctx)
	if err != nil {
		return err
	}
	if err := e.raiseLimits(); err != nil { // Before, so that all that the engine changes is noted.
		return err
	}
	return e.startDaemon(ctx, path)
}

// searchPath is the PATH of the engine. Where this machine lacks a capability
// that privileged containers ask for, the front end of runc is its first.
func (e Engine) searchPath(ctx context.Context) (string, error) {
	path := os.Getenv("PATH")
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", err
	}
	missing, err := lacksSysResource(string(status))
	if err != nil || !missing {
		return path, err
	}
	e.say("this machine lacks CAP_SYS_RESOURCE: containers are started without it")
	dir, err := e.FrontEnd(ctx)
	return dir + string(filepath.ListSeparator) + path, err
}

// Stop ends the engine if Start started it, and puts back what was changed.
func (e Engine) Stop(ctx context.Context) error {
	if err := e.stopDaemon(ctx); err != nil {
		return err
	}
	return e.restoreLimits()
}

// Version asks the engine for its version.
func Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var said strings.Builder
	cmd := exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}")
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("docker version: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

func unavailable(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnavailable, fmt.Errorf(format, args...))
}

func (e Engine) say(format string, args ...any) {
	fmt.Fprintf(e.Out, format+"\n", args...)
}
