// SPDX-License-Identifier: Apache-2.0

//go:build unix

package manifest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to blocks in open already: a deadline and Ctrl-C have to end that, too.
func TestReadFilesGivesUpOnAPipeWithoutAWriter(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { // a writer lets those go that still wait for one
		if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = w.Close()
		}
	})
	for name, path := range map[string]string{"file": pipe, "folder": filepath.Dir(pipe)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := ReadFiles(ctx, []string{path}, ReadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
}
