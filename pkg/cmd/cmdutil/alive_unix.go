// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cmdutil

import (
	"errors"
	"syscall"

	"github.com/clusterctl/clusterctl/pkg/move"
)

// Alive says whether the process of another move on this host still runs. One that got the id of a dead one since counts too: then its
// lease has to end by itself.
func Alive() func(move.Identity) bool {
	return func(i move.Identity) bool {
		err := syscall.Kill(i.PID, 0)
		return err == nil || errors.Is(err, syscall.EPERM)
	}
}
