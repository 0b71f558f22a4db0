// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"fmt"
	"os"

	"github.com/clusterctl/clusterctl/pkg/move"
)

// Mover is this process, for whoever meets the lease of its move.
func (f *Factory) Mover() move.Identity {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	user := f.Getenv("USER")
	if user == "" {
		user = fmt.Sprintf("user %d", os.Getuid())
	}
	return move.Identity{User: user, Host: host, PID: os.Getpid()}
}
