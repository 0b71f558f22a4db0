// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"log/slog"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// SetLogger sends what client-go and its libraries log to a handler, for the whole process; nil drops it.
// Without it they write to stderr. Call it once, before the first Client.
func SetLogger(h slog.Handler) {
	if h == nil {
		h = slog.DiscardHandler
	}
	klog.SetLogger(logr.FromSlogHandler(h))
}
