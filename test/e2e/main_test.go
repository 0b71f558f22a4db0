// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is what all tests share: the program, the parts, a registry and a configuration that points to them.
type world struct {
	dir    string // removed at the end
	root   string // of the source tree
	bin    string
	assets string
	config string
	// parts is the folder of the parts, registry the address of their images, version that of Cluster API.
	parts, registry, version string
}

// providerPort is the port that Cluster API's Docker provider opens on every address, whatever it is told.
const providerPort = 19000

var (
	shared world //nolint:gochecknoglobals // made by TestMain, read by tests
	all    = flag.Bool("all", false, "also what takes too long for CI")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if !*all {
		fmt.Println("NOT RUN without -all (make e2e-all): all but one of the kills in each step of create cluster")
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if err := checkPort(); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "clusterctl-e2e-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Programs that tests start as another user need a way to the files that are meant for them.
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // nothing secret is in it
		return 1, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop, err := prepare(ctx, dir)
	if err != nil {
		return 1, err
	}
	defer stop()
	return m.Run(), nil
}

// checkPort says who has the port that only one can have.
func checkPort() error {
	for _, l := range listeners() {
		if l.port == providerPort {
			return fmt.Errorf("port %d, which Cluster API's Docker provider needs, is taken by %s: end it, or run the tests with `unshare -n` (see doc.go)",
				providerPort, owner(l.inode))
		}
	}
	return nil
}

// prepare finds the program and the parts, starts the registry and writes the configuration.
func prepare(ctx context.Context, dir string) (stop func(), err error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	shared = world{dir: dir, root: root, config: filepath.Join(dir, "clusterctl.yaml")}
	parts, err := findParts()
	if err != nil {
		return nil, err
	}
	if shared.bin, err = findProgram(ctx, root, dir); err != nil {
		return nil, err
	}
	tools, program := filepath.Join(root, "test", "tools"), filepath.Join(dir, "parts")
	if err := build(ctx, filepath.Join(tools, "parts"), program, "."); err != nil {
		return nil, err
	}
	addr, stop, err := serve(ctx, program, "serve", "--tools", tools, "--cache", parts, "--addr", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	shared.parts, shared.registry = parts, addr
	if shared.version, err = providersVersion(parts); err != nil {
		stop()
		return nil, err
	}
	out, err := exec.CommandContext(ctx, program, "config", "--tools", tools, "--cache", parts, "--registry", addr, "--out", shared.config).CombinedOutput()
	if err != nil {
		stop()
		return nil, fmt.Errorf("write the configuration: %w: %s", err, out)
	}
	return stop, nil
}

// providersVersion is the newest version of Cluster API in the parts.
func providersVersion(parts string) (string, error) {
	found, _ := filepath.Glob(filepath.Join(parts, "repository", "infrastructure-docker", "v*"))
	if len(found) == 0 {
		return "", fmt.Errorf("no providers in %s: run `make parts` first", parts)
	}
	return filepath.Base(found[len(found)-1]), nil
}

// findParts finds the parts cache and the control plane's programs in it.
func findParts() (parts string, err error) {
	parts = os.Getenv("CLUSTERCTL_PARTS")
	if parts == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		parts = filepath.Join(cache, "clusterctl-parts")
	}
	if shared.assets = os.Getenv("KUBEBUILDER_ASSETS"); shared.assets == "" {
		found, _ := filepath.Glob(filepath.Join(parts, "kube", "v*", "kube-apiserver"))
		if len(found) == 0 {
			return "", fmt.Errorf("no control plane programs in %s: run `make parts` first", parts)
		}
		shared.assets = filepath.Dir(found[len(found)-1])
	}
	for _, need := range []string{filepath.Join(shared.assets, "kube-apiserver"), filepath.Join(parts, "images"), filepath.Join(parts, "repository")} {
		if _, err := os.Stat(need); err != nil {
			return "", fmt.Errorf("%w: run `make parts` first", err)
		}
	}
	return parts, nil
}

// serve starts the registry and waits for its address.
func serve(ctx context.Context, program string, args ...string) (addr string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = os.Stderr
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
		defer close(line)
		for s := bufio.NewScanner(out); s.Scan(); {
			if a, ok := strings.CutPrefix(s.Text(), "registry "); ok {
				line <- a
				return
			}
		}
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
