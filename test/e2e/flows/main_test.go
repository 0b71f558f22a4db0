// SPDX-License-Identifier: Apache-2.0

package flows

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is what all tests share: the program, the parts, a registry and a configuration that points to them.
type world struct {
	bin    string
	assets string
	config string
}

// providerPort is the port that Cluster API's Docker provider opens on every address, whatever it is told.
const providerPort = "19000"

var shared world //nolint:gochecknoglobals // made by TestMain, read by tests

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	l, err := net.Listen("tcp", ":"+providerPort)
	if err != nil {
		return 1, fmt.Errorf("port %s, which Cluster API's Docker provider needs, is taken: end what listens there: %w", providerPort, err)
	}
	_ = l.Close()
	dir, err := os.MkdirTemp("", "clusterctl-e2e-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop, err := prepare(ctx, dir)
	if err != nil {
		return 1, err
	}
	defer stop()
	return m.Run(), nil
}

// prepare finds the program and the parts, starts the registry and writes the configuration.
func prepare(ctx context.Context, dir string) (stop func(), err error) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return nil, err
	}
	shared.bin = filepath.Join(root, "bin", "clusterctl")
	if b := os.Getenv("CLUSTERCTL_BIN"); b != "" {
		shared.bin = b
	}
	parts := os.Getenv("CLUSTERCTL_PARTS")
	if parts == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		parts = filepath.Join(cache, "clusterctl-parts")
	}
	shared.assets = filepath.Join(parts, "kube", "v1.34.4")
	for _, f := range []string{shared.bin, filepath.Join(shared.assets, "kube-apiserver"), filepath.Join(parts, "images")} {
		if _, err := os.Stat(f); err != nil {
			return nil, fmt.Errorf("%w: run `make build parts` first", err)
		}
	}
	tools := filepath.Join(root, "test", "tools")
	program := filepath.Join(dir, "parts")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	build.Dir = filepath.Join(tools, "parts")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the registry: %w: %s", err, out)
	}
	addr, stop, err := serve(ctx, program, tools, parts)
	if err != nil {
		return nil, err
	}
	shared.config = filepath.Join(dir, "clusterctl.yaml")
	out, err := exec.CommandContext(ctx, program, "config", "--tools", tools, "--cache", parts, "--registry", addr, "--out", shared.config).CombinedOutput()
	if err != nil {
		stop()
		return nil, fmt.Errorf("write the configuration: %w: %s", err, out)
	}
	return stop, nil
}

// serve starts the registry and waits for its address.
func serve(ctx context.Context, program, tools, parts string) (addr string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, program, "serve", "--tools", tools, "--cache", parts, "--addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	line := make(chan string, 1)
	go func() {
		s := bufio.NewScanner(out)
		for s.Scan() {
			if a, ok := strings.CutPrefix(s.Text(), "registry "); ok {
				line <- a
				return
			}
		}
		close(line)
	}()
	select {
	case a, ok := <-line:
		if ok {
			return a, stop, nil
		}
		err = errors.New("the registry ended at once")
	case <-time.After(time.Minute):
		err = errors.New("the registry doesn't start")
	}
	stop()
	return "", nil, err
}
