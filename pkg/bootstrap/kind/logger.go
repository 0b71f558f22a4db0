// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kind/pkg/log"

	"github.com/clusterctl/clusterctl/pkg/event"
)

// stepEnsure and stepDelete are the steps under which Ensure and Delete report progress.
const (
	stepEnsure = "bootstrap"
	stepDelete = "delete-bootstrap"
)

// logger turns what kind says into events.
type logger struct{ sink event.Sink }

var _ log.Logger = logger{}

// Warn drops what kind says about cgroup v1: the preflight says it better.
func (l logger) Warn(message string) {
	if !strings.HasPrefix(message, "cgroup v1") {
		event.Warnf(l.sink, "kind: %s", message)
	}
}

// Warnf is Warn.
func (l logger) Warnf(format string, args ...any) { l.Warn(fmt.Sprintf(format, args...)) }

// Error is a warning: an error that counts is returned.
func (l logger) Error(message string) { event.Warnf(l.sink, "kind: %s", message) }

// Errorf is Error.
func (l logger) Errorf(format string, args ...any) { l.Error(fmt.Sprintf(format, args...)) }

// V is quiet above level 0.
func (l logger) V(level log.Level) log.InfoLogger { return info{l.sink, level == 0} }

type info struct {
	sink    event.Sink
	enabled bool
}

// Info is progress where it begins something.
func (i info) Info(message string) {
	if what, ok := progressOf(message); ok && i.enabled {
		event.Progressf(i.sink, stepEnsure, "%s", what)
	}
}

// Infof is Info.
func (i info) Infof(format string, args ...any) { i.Info(fmt.Sprintf(format, args...)) }

// Enabled says whether anybody listens.
func (i info) Enabled() bool { return i.enabled }

// progressOf reads kind's status lines: " • Starting control-plane 🕹️  ...". What ended is known by what begins next.
func progressOf(message string) (string, bool) {
	what, ok := strings.CutPrefix(strings.TrimSpace(message), "• ")
	if !ok {
		return "", false
	}
	what = strings.TrimSpace(strings.TrimSuffix(what, "..."))
	what = strings.TrimRightFunc(what, func(r rune) bool { return r > 0x7f || r == ' ' })
	return what, what != ""
}
