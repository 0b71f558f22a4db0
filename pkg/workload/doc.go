// SPDX-License-Identifier: Apache-2.0

// Package workload is what can be done with one cluster on a management cluster: load its objects, apply them, wait for it
// and say what blocks, delete it and say what is left, and list what is there.
//
// Everything here is an ensure: it looks at the management cluster, never at what an earlier run remembered, so that a run
// that was killed can be started again. Waits end at the deadline of their context; they send progress to a sink, and their
// errors name the object, the condition, the last event and the last log line that block. Starting and closing steps is the
// caller's.
package workload
