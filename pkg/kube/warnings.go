// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// warnings collects the Warning headers of answers, each text once, in order of appearance.
type warnings struct {
	mu   sync.Mutex
	seen []string
}

// reading marks requests that look at whatever there is: that a kind is deprecated which nobody chose says nothing to anybody.
type reading struct{}

func whileReading(ctx context.Context) context.Context {
	return context.WithValue(ctx, reading{}, true)
}

// HandleWarningHeaderWithContext is what client-go calls.
func (w *warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, agent, message string) {
	if ctx.Value(reading{}) == nil {
		w.HandleWarningHeader(code, agent, message)
	}
}

// HandleWarningHeader is called by client-go for each Warning header; 299 is the code that API servers use.
func (w *warnings) HandleWarningHeader(code int, _ string, message string) {
	// That a provider's finalizer has a short name is nothing that whoever uses the provider can change.
	if code != 299 || message == "" || strings.HasPrefix(message, "metadata.finalizers: ") {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.seen, message) {
		w.seen = append(w.seen, message)
	}
}

// Warnings returns what the API server warned about so far, without repeats.
func (c *Client) Warnings() []string {
	c.warnings.mu.Lock()
	defer c.warnings.mu.Unlock()
	return slices.Clone(c.warnings.seen)
}
