// SPDX-License-Identifier: Apache-2.0

// Package lock gives file locks that end with the process that holds them and
// survive that the file's directory is deleted by the one before.
package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// poll is how often a waiter looks again.
const poll = 50 * time.Millisecond

// ErrHeld says that somebody else holds the lock.
var ErrHeld = errors.New("lock is held by another process")

// Lock is a lock that is held.
type Lock struct{ file *flock.Flock }

// Try takes the lock at path if nobody holds it; else it returns ErrHeld.
func Try(path string) (*Lock, error) {
	for {
		f := flock.New(path, flock.SetPermissions(0o600))
		ok, err := f.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !ok {
			return nil, ErrHeld
		}
		if current(f, path) {
			return &Lock{file: f}, nil
		}
		_ = f.Close() // The one before deleted the file: this lock guards nothing.
	}
}

// Acquire takes the lock at path and waits for it until ctx ends. waiting, if not nil, is called once if it has to wait.
func Acquire(ctx context.Context, path string, waiting func()) (*Lock, error) {
	for {
		l, err := Try(path)
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for lock %s: %w", path, ctx.Err())
		case <-time.After(poll):
		}
	}
}

// Release gives the lock up; the file stays.
func (l *Lock) Release() {
	if l != nil {
		_ = l.file.Close()
	}
}

// current says whether the locked file is still the one that path names.
func current(f *flock.Flock, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}
