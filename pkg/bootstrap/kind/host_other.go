// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package kind

// hostLimits knows nothing: here the engine runs in a virtual machine.
func hostLimits(facts) limits { return limits{} }
