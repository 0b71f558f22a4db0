// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// arguments rewrites a program's arguments so that it fits on a host next to others.
//
// The rules look at values, not at names that this or that provider uses: a flag
// whose value (given, or by default) is the address or the number of a container
// port gets the host's port, one that names a path below a mount gets the host's directory.
type arguments struct {
	flags   map[string]string
	ports   map[int]int
	mounts  mounts
	newPort func(flag string) (int, error)
	// used collects the container ports that were replaced.
	used map[int]int
}

var (
	// bindFlag matches flags that say where to listen: what they name may not be reachable from other hosts.
	bindFlag = regexp.MustCompile(`^(.*-)?(metrics|healthz?|diagnostics|probe|listen|bind|profiler|pprof|webhook)(-.*)?-addr(ess)?$`)
	// leaderFlags switch leader election, which needs a pod's namespace; here there is one process for sure.
	leaderFlags = []string{"leader-elect", "enable-leader-election", "leader-election"}
)

// rewrite gives the arguments for this host.
func (a *arguments) rewrite(args []string, kubeconfig string) ([]string, error) {
	given := map[string]bool{}
	out := make([]string, 0, len(args)+8)
	previous := ""
	for _, arg := range args {
		name, value, hasValue := split(arg)
		switch {
		case name == "":
			changed, err := a.value(previous, arg)
			if err != nil {
				return nil, err
			}
			out = append(out, changed)
		case slices.Contains(leaderFlags, name) && (a.has(name) || len(a.flags) == 0):
			given[name] = true
			out = append(out, "--"+name+"=false")
		case hasValue:
			given[name] = true
			changed, err := a.value(name, value)
			if err != nil {
				return nil, err
			}
			out = append(out, arg[:len(arg)-len(value)]+changed)
		default:
			given[name] = true
			out = append(out, arg)
		}
		previous = ""
		if name != "" && !hasValue {
			previous = name
		}
	}
	more, err := a.defaults(given)
	if err != nil {
		return nil, err
	}
	if a.has("kubeconfig") {
		more = append(more, "--kubeconfig="+kubeconfig)
	}
	return insert(out, more), nil
}

func (a *arguments) has(name string) bool {
	_, ok := a.flags[name]
	return ok
}

// defaults adds flags that weren't given and whose defaults don't fit here.
func (a *arguments) defaults(given map[string]bool) ([]string, error) {
	var more []string
	for _, name := range slices.Sorted(maps.Keys(a.flags)) {
		old := a.flags[name]
		if given[name] || old == "" {
			continue
		}
		changed, err := a.value(name, old)
		if err != nil {
			return nil, err
		}
		if changed != old {
			more = append(more, "--"+name+"="+changed)
		}
	}
	return more, nil
}

// value gives a flag's value for this host.
func (a *arguments) value(name, value string) (string, error) {
	if port, err := strconv.Atoi(value); err == nil {
		if host, ok := a.ports[port]; ok && strings.HasSuffix(name, "port") {
			a.used[port] = host
			return strconv.Itoa(host), nil
		}
		return value, nil
	}
	host, portText, err := net.SplitHostPort(value)
	if err != nil || !listensHere(host) {
		return a.mounts.replace(value), nil //nolint:nilerr // It is no address.
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port == 0 {
		return value, nil //nolint:nilerr // It names no port that can be another.
	}
	to, ok := a.ports[port]
	if !ok {
		if !bindFlag.MatchString(name) {
			return value, nil
		}
		if to, err = a.newPort(name); err != nil {
			return "", err
		}
	}
	a.used[port] = to
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(to)), nil
}

// listensHere says whether a host part means this host.
func listensHere(host string) bool {
	if host == "" || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsUnspecified() || ip.IsLoopback())
}

// split takes a flag apart; a word that isn't a flag has no name.
func split(arg string) (name, value string, hasValue bool) {
	trimmed, ok := strings.CutPrefix(arg, "-")
	if !ok || trimmed == "" || trimmed == "-" {
		return "", "", false
	}
	trimmed = strings.TrimPrefix(trimmed, "-")
	return strings.Cut(trimmed, "=")
}

// insert adds flags at the end, but before a "--", after which nothing is a flag.
func insert(args, more []string) []string {
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Insert(args, at, more...)
}
