// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// newLog makes the log: text or JSON lines. Verbosity n shows the levels down to slog.Level(-n), which is what "-v n" means.
func newLog(out io.Writer, format string, verbosity int) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.Level(-verbosity), ReplaceAttr: cleanAttr}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// cleanAttr names the level as -v does, and keeps secrets out, see redact.go.
func cleanAttr(groups []string, a slog.Attr) slog.Attr {
	if level, ok := a.Value.Any().(slog.Level); ok && len(groups) == 0 && a.Key == slog.LevelKey {
		return slog.String(a.Key, levelName(level))
	}
	if secretKey(a.Key) {
		return slog.String(a.Key, redacted)
	}
	switch a.Value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, redactText(a.Value.String()))
	case slog.KindAny:
		return slog.String(a.Key, redactText(fmt.Sprintf("%+v", a.Value.Any())))
	}
	return a
}

// levelName is info, warn and error, and v1 to v10 for what -v shows.
func levelName(level slog.Level) string {
	if level < slog.LevelInfo {
		return fmt.Sprintf("v%d", -int(level))
	}
	return strings.ToLower(level.String())
}
