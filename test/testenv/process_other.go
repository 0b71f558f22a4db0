// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package testenv

import "os/exec"

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
}
