// SPDX-License-Identifier: Apache-2.0

package move

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// exchange has two folders change places in one step.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // a file system, or a kernel, without it
		return errors.Join(err, errors.ErrUnsupported)
	}
	if err != nil {
		return fmt.Errorf("exchange %s and %s: %w", a, b, err)
	}
	return nil
}
