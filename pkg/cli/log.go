// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"log/slog"
)

// newLog makes the log: text or JSON lines, with the levels that verbosity shows.
func newLog(out io.Writer, format string, verbosity int) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.Level(-verbosity)}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}
