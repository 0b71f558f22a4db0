// SPDX-License-Identifier: Apache-2.0

// Package gobuild builds commands of other modules with the go command.
package gobuild

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Command is one program to build.
type Command struct {
	// Module is the folder of the module that is the main module of the build.
	Module string
	// Package is the import path of the program, or "." for the module's own.
	Package string
	// Set are the string variables to set at link time: import path and name → value, as name=value.
	Set []string
}

// Args are the arguments of the go command, without the output file. They
// belong in the key of what is built.
func (c Command) Args() []string {
	link := []string{"-s", "-w"}
	for _, set := range c.Set {
		link = append(link, "-X", set)
	}
	// buildvcs would make the result depend on this repository's commit.
	return []string{"build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags", strings.Join(link, " ")}
}

// Build builds the program for this machine into the file out, static.
func (c Command) Build(ctx context.Context, out string) error {
	_, err := run(ctx, c.Module, append(c.Args(), "-o", out, c.Package)...)
	return err
}

// Run runs the program with arguments, and writes its output to out.
func (c Command) Run(ctx context.Context, out io.Writer, args ...string) error {
	data, err := run(ctx, c.Module, append([]string{"run", "-mod=readonly", c.Package}, args...)...)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}

// ModuleDir is the folder of the module path in the module cache, in the
// version that the main module in dir requires. It is downloaded where missing.
func ModuleDir(ctx context.Context, dir, path string) (string, error) {
	data, err := run(ctx, dir, "mod", "download", "-json", path)
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(data, &module); jsonErr == nil && module.Error != "" {
		return "", fmt.Errorf("download %s: %s", path, module.Error)
	}
	if err != nil {
		return "", err
	}
	if module.Dir == "" {
		return "", fmt.Errorf("download %s: go names no folder", path)
	}
	return module.Dir, nil
}

// run runs the go command in dir. Its error holds the end of what it said.
func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH, "GOWORK=off", "GOEXPERIMENT=")
	cmd.Stdout, cmd.Stderr = io.Writer(&stdout), io.Writer(&stderr)
	// Compilers and linkers are children of go: all of them end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("the go command is needed to build parts and isn't in PATH")
		}
		return stdout.Bytes(), fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, tail(stderr.String(), 2000))
	}
	return stdout.Bytes(), nil
}

func tail(text string, size int) string {
	text = strings.TrimSpace(text)
	if len(text) > size {
		text = "…" + text[len(text)-size:]
	}
	return text
}
