// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine is what the numbers were measured on.
type machine struct {
	cores            int
	cpu, memory, sys string
	load             string
}

func thisMachine() machine {
	return machine{
		cores: runtime.NumCPU(), load: load(), sys: runtime.GOOS + "/" + runtime.GOARCH + " " + firstLine("/proc/sys/kernel/osrelease"),
		cpu: field("/proc/cpuinfo", "model name"), memory: memory(),
	}
}

// load is how many processes ran or wanted to on average, over 1, 5 and 15 minutes.
func load() string {
	parts := strings.Fields(firstLine("/proc/loadavg"))
	return strings.Join(parts[:min(3, len(parts))], " ")
}

func memory() string {
	var kib float64
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kib); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f GiB", kib*1024/(1<<30))
}

// field finds the first line "name: value" in a file.
func field(file, name string) string {
	data, _ := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSuffix(strings.TrimSpace(value), " kB")
		}
	}
	return "unknown"
}

func firstLine(file string) string {
	data, _ := os.ReadFile(file)
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}
