// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a Ctrl-C on the terminal away from the program and ends it with this process.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
