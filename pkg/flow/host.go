// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"io"

	"github.com/clusterctl/clusterctl/pkg/event"
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
	// Config knows the providers, the images and the variables.
	Config *provider.Config
	// Sink receives what happens.
	Sink event.Sink
}
