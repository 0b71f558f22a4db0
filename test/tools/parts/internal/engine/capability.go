// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strconv"
	"strings"
)

// sysResource is the number of CAP_SYS_RESOURCE.
const sysResource = 24

// lacksSysResource says whether a process whose /proc/PID/status is given can
// never have CAP_SYS_RESOURCE.
func lacksSysResource(status string) (bool, error) {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, "CapBnd:"); ok {
			set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			return set&(1<<sysResource) == 0, err
		}
	}
	return false, errors.New("the kernel doesn't say which capabilities this process is bound to")
}
