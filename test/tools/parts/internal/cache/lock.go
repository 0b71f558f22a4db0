// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is how often a waiting run looks whether the lock is free.
const lockPoll = 200 * time.Millisecond

// Lock takes the folder's write lock and empties Temp, where a killed run may
// have left files. Where another run holds the lock, waiting is called once and
// Lock waits until it is free or ctx ends. The kernel frees the lock of a killed run.
func (d Dir) Lock(ctx context.Context, waiting func()) (release func(), err error) {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return nil, fmt.Errorf("make the cache folder: %w", err)
	}
	lock := flock.New(filepath.Join(string(d), ".lock"))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		waiting()
		_, err = lock.TryLockContext(ctx, lockPoll)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	release = func() { _ = lock.Unlock() }
	if err := os.RemoveAll(d.Temp()); err != nil {
		release()
		return nil, fmt.Errorf("empty %s: %w", d.Temp(), err)
	}
	return release, nil
}
