// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// bench holds what all measurements need.
type bench struct {
	options
	// dir is a temporary folder with everything in it.
	dir string
	// ours and upstream are the two programs.
	ours, upstream string
	parts          parts
	registry       *service
	address        string // of the registry
	began          time.Time
	// warmed says that the caches are filled.
	warmed bool
}

// parts are the folders with what is needed besides clusterctl.
type parts struct {
	tool, kube, managers, version string
}

func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o, began: time.Now()}
	var err error
	if b.ours, err = filepath.Abs(o.clusterctl); err != nil {
		return nil, err
	}
	if _, err := os.Stat(b.ours); err != nil {
		return nil, fmt.Errorf("%w; run \"make build\" first", err)
	}
	if b.dir, err = os.MkdirTemp("", "clusterctl-bench-"); err != nil {
		return nil, err
	}
	if err := b.prepare(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// prepare gets the parts, and starts the registry with the managers' images.
func (b *bench) prepare(ctx context.Context) error {
	const tools = "test/tools"
	b.parts.tool = filepath.Join(b.dir, "parts")
	b.logf("preparing in %s", b.dir)
	if _, err := output(ctx, "go", "-C", tools+"/parts", "build", "-o", b.parts.tool, "."); err != nil {
		return err
	}
	for _, group := range []string{"kube,capi,repository,images", "extras"} {
		if _, err := output(ctx, b.parts.tool, "build", "--tools", tools, "--only", group); err != nil {
			return err
		}
	}
	env, err := output(ctx, b.parts.tool, "env", "--tools", tools)
	if err != nil {
		return err
	}
	vars := exports(env)
	b.parts.kube, b.parts.managers, b.parts.version = vars["KUBEBUILDER_ASSETS"], vars["CLUSTERCTL_PARTS_CAPI_BIN"], vars["CLUSTERCTL_PARTS_CAPI_VERSION"]
	b.upstream = filepath.Join(b.parts.managers, "clusterctl-upstream")

	ready := filepath.Join(b.dir, "registry")
	b.registry, err = startService(ctx, nil, b.parts.tool, "serve", "--tools", tools, "--addr", "127.0.0.1:0", "--ready-file", ready)
	if err != nil {
		return err
	}
	addr, err := awaitFile(ctx, ready)
	if err != nil {
		return fmt.Errorf("start the registry: %w", err)
	}
	b.address = addr
	_, err = output(ctx, b.parts.tool, "config", "--tools", tools, "--registry", addr, "--out", filepath.Join(b.dir, "clusterctl.yaml"))
	return err
}

// close ends what runs and removes the folder.
func (b *bench) close() {
	if b.registry != nil {
		b.registry.stop()
	}
	_ = os.RemoveAll(b.dir)
}

// env is the environment of a clusterctl whose files are all in the temporary folder.
func (b *bench) env(assets string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "KUBEBUILDER_ASSETS=" + assets,
		"CLUSTERCTL_CONFIG_HOME=" + b.dir, "CLUSTERCTL_STATE_HOME=" + filepath.Join(b.dir, "state"),
		"CLUSTERCTL_CACHE_HOME=" + filepath.Join(b.dir, "cache"),
	}
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%5.1fs %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...))
}

// exports reads lines of the form "export NAME=value".
func exports(text string) map[string]string {
	vars := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		vars[name] = strings.Trim(value, "'\"")
	}
	return vars
}

func awaitFile(ctx context.Context, file string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if data, err := os.ReadFile(file); err == nil && len(data) > 0 {
			return strings.TrimSpace(string(data)), nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
