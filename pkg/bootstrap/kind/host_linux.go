// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// hostLimits reads this host's limits, where the engine shares them.
func hostLimits(f facts) limits {
	if f.Remote {
		return limits{}
	}
	l := limits{instances: sysctl("fs/inotify/max_user_instances"), watches: sysctl("fs/inotify/max_user_watches")}
	var fs unix.Statfs_t
	if f.Root != "" && unix.Statfs(f.Root, &fs) == nil {
		l.free = fs.Bavail * uint64(fs.Bsize)
	}
	return l
}

func sysctl(name string) int64 {
	data, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n
}
