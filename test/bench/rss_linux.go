// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// maxRSS is the most memory in bytes that a process had resident.
func maxRSS(s *os.ProcessState) float64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) * 1024
}

// ownPeak is the most memory in bytes that this program had resident so far.
func ownPeak() float64 { return peakOf("self") }

// peakOf is the same of a process that still runs; 0 if there is none.
func peakOf(pid string) float64 {
	data, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kib * 1024
		}
	}
	return 0
}
