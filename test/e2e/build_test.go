// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// findProgram gives the program that is tested: the one that the environment names, bin/clusterctl if it is as new as
// its sources, else a build of them.
func findProgram(ctx context.Context, root, dir string) (string, error) {
	if named := os.Getenv("CLUSTERCTL_BIN"); named != "" {
		return filepath.Abs(named)
	}
	bin := filepath.Join(root, "bin", "clusterctl")
	if st, err := os.Stat(bin); err == nil {
		newest, err := newestSource(root)
		if err != nil {
			return "", err
		}
		if !st.ModTime().Before(newest) {
			return bin, nil
		}
	}
	bin = filepath.Join(dir, "clusterctl")
	return bin, build(ctx, root, bin, "./cmd/clusterctl")
}

// newestSource is when what the program is built of was last changed.
func newestSource(root string) (time.Time, error) {
	var newest time.Time
	for _, part := range []string{"cmd", "pkg", "config", "go.mod", "go.sum"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil && info.ModTime().After(newest) {
				newest = info.ModTime()
			}
			return err
		})
		if err != nil {
			return newest, err
		}
	}
	return newest, nil
}

// build builds a program of the module in dir, as it is released: static and stripped.
func build(ctx context.Context, dir, out, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s in %s: %w: %s", pkg, dir, err, text)
	}
	return nil
}
