// SPDX-License-Identifier: Apache-2.0

package cmdutil

import "github.com/clusterctl/clusterctl/pkg/ui"

// Global are the flags of every command. Each can also be set by an environment variable,
// CLUSTERCTL_ and the name of the flag in capitals; the flag wins.
type Global struct {
	// Config is the file or URL of the user's clusterctl.yaml; empty means the default place.
	Config string
	// Verbosity is how much the log tells, 0 to 10.
	Verbosity int
	// LogFormat is "text" or "json"; json is for errors too.
	LogFormat string
	// Progress is how progress is shown.
	Progress ui.Progress
	// Color is when colours are used.
	Color ui.Color
	// Output is the format of the command's result, if the command has that flag.
	Output ui.Format
}
