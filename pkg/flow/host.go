// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"io"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/move"
	"github.com/clusterctl/clusterctl/pkg/paths"
	"github.com/clusterctl/clusterctl/pkg/provider"
)

// Host is what a flow needs of the process and the user it runs for.
type Host struct {
	// Dirs are the user's directories.
	Dirs paths.Dirs
	// WorkDir is the working directory: where a kubeconfig goes when no path is given.
	WorkDir string
	// Getenv and Environ read the environment.
	Getenv  func(string) string
	Environ []string
	// Stdin is what "-" reads.
	Stdin io.Reader
	// Supervisor is the command that keeps a local bootstrap cluster running; its directory is appended.
	Supervisor []string
	// Engine names the container engine that answers, or says why none does; nil means that there is none.
	Engine func() (string, error)
	// UserAgent is sent to API servers.
	UserAgent string
	// Command is how the user called us, for the lock's holder.
	Command string
	// Self is this process, and Alive says whether another one still runs, for the leases of moves.
	Self  move.Identity
	Alive func(move.Identity) bool
	// Config knows the providers, the images and the variables; nil where LoadConfig reads it when it is needed.
	Config     *provider.Config
	LoadConfig func(context.Context) (*provider.Config, error)
	// Sink receives what happens.
	Sink event.Sink
}

// config is Config, read now if it wasn't before.
func (h Host) config(ctx context.Context) (*provider.Config, error) {
	if h.Config != nil || h.LoadConfig == nil {
		return h.Config, nil
	}
	return h.LoadConfig(ctx)
}
