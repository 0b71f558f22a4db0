// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// containerMemory is the memory of containers, as the engine counts it.
func containerMemory(ctx context.Context, names []string) (float64, error) {
	out, err := output(ctx, append([]string{"docker", "stats", "--no-stream", "--format", "{{.MemUsage}}"}, names...)...)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for line := range strings.Lines(out) {
		used, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, unit := 0.0, ""
		if _, err := fmt.Sscanf(used, "%f%s", &n, &unit); err != nil {
			return 0, fmt.Errorf("memory of a container %q: %w", line, err)
		}
		switch unit {
		case "GiB":
			n *= 1 << 30
		case "MiB":
			n *= mib
		case "KiB", "kiB":
			n *= 1 << 10
		}
		sum += n
	}
	return sum, nil
}

// treeMemory is the memory of a process and all that come from it, shared pages counted once.
func treeMemory(root int) (float64, error) {
	parents := map[int]int{}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		_, rest, _ := strings.Cut(string(data), ") ") // the name may hold anything
		if fields := strings.Fields(rest); len(fields) > 1 {
			parents[pid], _ = strconv.Atoi(fields[1])
		}
	}
	sum := 0.0
	for pid := range parents {
		at := pid
		for at != root && at > 1 {
			at = parents[at]
		}
		if at == root {
			sum += pss(pid)
		}
	}
	return sum, nil
}

func pss(pid int) float64 {
	var kib float64
	_, _ = fmt.Sscan(field(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss"), &kib)
	return kib * 1024
}
