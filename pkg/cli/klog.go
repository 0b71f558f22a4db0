// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"flag"
	"log/slog"
	"strconv"
	"strings"

	"k8s.io/klog/v2"
)

// bridgeKlog sends what the Kubernetes libraries log through log, with -v as we explain it: requests from 4 on,
// headers from 6 on, what else they tell from 8 on, bodies never. The library has one logger for the process, so this is for the real program
// only, before anything runs in the background.
func bridgeKlog(log *slog.Logger, verbosity int) {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("v", strconv.Itoa(mostOfKlog(verbosity)))
	klog.SetSlogLogger(slog.New(klogHandler{log.Handler()}))
}

// The levels at which client-go logs requests. From level 9 on it writes commands to repeat them: with their secrets.
const (
	klogRequests = 6
	klogHeaders  = 8
)

// ours is the verbosity that shows a level of klog.
func ours(level int) (verbosity int, shown bool) {
	switch {
	case level < klogRequests:
		return 8, true
	case level == klogRequests:
		return 4, true
	case level <= klogHeaders:
		return 6, true
	}
	return 0, false
}

// mostOfKlog is the highest level of klog that a verbosity shows.
func mostOfKlog(verbosity int) int {
	most := 0
	for level := 1; level <= klogHeaders; level++ {
		if v, shown := ours(level); shown && v <= verbosity {
			most = level
		}
	}
	return most
}

// klogHandler translates the levels of klog.
type klogHandler struct{ next slog.Handler }

func (h klogHandler) Enabled(ctx context.Context, level slog.Level) bool {
	if level >= slog.LevelInfo {
		return h.next.Enabled(ctx, level)
	}
	v, shown := ours(-int(level))
	return shown && h.next.Enabled(ctx, slog.Level(-v))
}

func (h klogHandler) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasSuffix(r.Message, " Body") { // client-go's "Request Body" and "Response Body"
		return nil
	}
	if r.Level < slog.LevelInfo {
		v, _ := ours(-int(r.Level))
		r.Level = slog.Level(-v)
	}
	return h.next.Handle(ctx, r)
}

func (h klogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return klogHandler{h.next.WithAttrs(attrs)}
}

func (h klogHandler) WithGroup(name string) slog.Handler { return klogHandler{h.next.WithGroup(name)} }
