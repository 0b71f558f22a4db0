// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"os"
	"os/exec"
	"strings"
)

// install installs Debian's Docker where there is no Docker daemon.
func (e Engine) install(ctx context.Context) error {
	if _, err := exec.LookPath("dockerd"); err == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return unavailable("there is no dockerd, and no apt-get to install it with")
	}
	e.say("installing the package docker.io")
	for _, args := range [][]string{
		{"update", "-q"},
		{"install", "-qq", "--yes", "--no-install-recommends", "docker.io"},
	} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		out, err := cmd.CombinedOutput()
		// A source that can't be reached doesn't matter if the package is in another one.
		if err != nil && args[0] == "install" {
			return unavailable("there is no dockerd, and apt-get install docker.io fails: %w\n%s", err, lastLines(string(out), 10))
		}
	}
	if _, err := exec.LookPath("dockerd"); err != nil {
		return unavailable("the package docker.io is installed and brought no dockerd: %w", err)
	}
	return nil
}

// lastLines are the last lines of a text.
func lastLines(text string, count int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
