// SPDX-License-Identifier: Apache-2.0

package lock_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/lock"
)

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.lock")
	held, err := lock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Try(path); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("Try: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := lock.Acquire(ctx, path, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) || waited != 1 {
		t.Errorf("Acquire: %v, said so %d times", err, waited)
	}
	time.AfterFunc(100*time.Millisecond, held.Release)
	again, err := lock.Acquire(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
}

// TestLockOfDeletedDirectory: who waits while the directory is deleted must not get a lock on nothing.
func TestLockOfDeletedDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "dir")
	path := filepath.Join(dir, "x.lock")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	held, err := lock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() {
		l, err := lock.Acquire(t.Context(), path, nil)
		l.Release()
		result <- err
	}()
	time.Sleep(100 * time.Millisecond)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	held.Release()
	if err := <-result; !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Acquire: %v", err)
	}
}
