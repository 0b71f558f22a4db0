// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package move

import "errors"

func exchange(string, string) error { return errors.ErrUnsupported }
