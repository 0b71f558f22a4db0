// SPDX-License-Identifier: Apache-2.0

//go:build linux

package e2e

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pids lists all processes of this host.
func pids() []int {
	var out []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// marked finds all processes but this one that have to do with a directory: it is in their arguments or environment.
// Runs of the program under test have it in theirs too.
func marked(dir string) []int {
	var out []int
	for _, pid := range pids() {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if pid != os.Getpid() && (bytes.Contains(cmdline, []byte(dir)) || bytes.Contains(environ, []byte(dir))) {
			out = append(out, pid)
		}
	}
	return out
}

// describe shows a process to people.
func describe(pid int) string {
	cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	text := strings.ReplaceAll(strings.TrimRight(string(cmdline), "\x00"), "\x00", " ")
	return fmt.Sprintf("process %d: %.200s", pid, text)
}

// listener is a listening TCP socket.
type listener struct {
	ip    net.IP
	port  int
	inode string
}

func (l listener) String() string { return net.JoinHostPort(l.ip.String(), strconv.Itoa(l.port)) }

// listeners lists all listening TCP sockets.
func listeners() []listener {
	var out []listener
	for _, f := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, _ := os.ReadFile(f)
		for line := range strings.Lines(string(data)) {
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != "0A" { // LISTEN
				continue
			}
			if l, ok := parseAddress(fields[1]); ok {
				l.inode = fields[9]
				out = append(out, l)
			}
		}
	}
	return out
}

// parseAddress reads an address as the kernel writes it: words in the host's byte order, a colon, the port.
func parseAddress(s string) (listener, bool) {
	addr, port, _ := strings.Cut(s, ":")
	ip, err := hex.DecodeString(addr)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(ip)%4 != 0 {
		return listener{}, false
	}
	for word := range slices.Chunk(ip, 4) {
		slices.Reverse(word) // both platforms that are supported are little endian
	}
	return listener{ip: ip, port: int(n)}, true
}

// owner says which process has a socket.
func owner(inode string) string {
	for _, pid := range pids() {
		if slices.Contains(sockets(pid), inode) {
			return describe(pid)
		}
	}
	return "a process that can't be seen"
}

// sockets lists the inodes of a process's sockets.
func sockets(pid int) []string {
	var out []string
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		target, _ := os.Readlink(filepath.Join(dir, e.Name()))
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			out = append(out, strings.TrimSuffix(inode, "]"))
		}
	}
	return out
}

// listenersOf lists where a process listens.
func listenersOf(pid int) []listener {
	own := sockets(pid)
	return slices.DeleteFunc(listeners(), func(l listener) bool { return !slices.Contains(own, l.inode) })
}
