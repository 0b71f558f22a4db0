// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
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

// atMostLevel shows nothing more verbose than a limit, whatever the log below it would show.
type atMostLevel struct {
	slog.Handler
	limit slog.Level
}

func (h atMostLevel) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.limit && h.Handler.Enabled(ctx, level)
}

func (h atMostLevel) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atMostLevel{h.Handler.WithAttrs(attrs), h.limit}
}

func (h atMostLevel) WithGroup(name string) slog.Handler {
	return atMostLevel{h.Handler.WithGroup(name), h.limit}
}
