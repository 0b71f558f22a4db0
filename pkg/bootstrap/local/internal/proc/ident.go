// SPDX-License-Identifier: Apache-2.0

// Package proc starts processes that end with this one, tells processes apart even
// when their ids are reused, and signals only those that it can prove to be meant.
package proc

// Ident identifies one process for ever: ids are reused, the time of the start isn't.
type Ident struct {
	// PID is the process id.
	PID int `json:"pid,omitempty"`
	// Start is the time of its start in clock ticks since boot (field 22 of /proc/PID/stat).
	Start uint64 `json:"start,omitempty"`
	// Boot is the boot that the ticks count from.
	Boot string `json:"boot,omitempty"`
}

// IsZero says that no process is meant.
func (i Ident) IsZero() bool { return i.PID == 0 }

// Marker is the environment variable by which every process of a bootstrap cluster can be
// found, also those that were started just before a crash and never got into the table.
const Marker = "CLUSTERCTL_BOOTSTRAP_DIR"
