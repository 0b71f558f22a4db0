// SPDX-License-Identifier: Apache-2.0

package paths

import (
	"errors"
	"path/filepath"
	"runtime"
)

// Dirs are the directories of one user. They need not exist.
type Dirs struct {
	// Config holds clusterctl.yaml: $CLUSTERCTL_CONFIG_HOME, else $XDG_CONFIG_HOME/cluster-api,
	// the place that upstream's clusterctl uses too.
	Config string
	// Cache holds what can be fetched again: $CLUSTERCTL_CACHE_HOME, else $XDG_CACHE_HOME/clusterctl.
	Cache string
	// State holds what must not be lost: run records, bootstrap clusters: $CLUSTERCTL_STATE_HOME,
	// else $XDG_STATE_HOME/clusterctl.
	State string
	// Home is the user's home directory.
	Home string
}

// ErrNoHome says that neither a home directory nor the directories themselves are set.
var ErrNoHome = errors.New("no home directory: set HOME, or CLUSTERCTL_CONFIG_HOME, CLUSTERCTL_CACHE_HOME and CLUSTERCTL_STATE_HOME")

// Resolve works the directories out from environment variables, which it reads through getenv.
// It returns ErrNoHome if a directory can't be known.
func Resolve(getenv func(string) string) (Dirs, error) {
	return resolve(getenv, runtime.GOOS)
}

func resolve(getenv func(string) string, goos string) (Dirs, error) {
	home := getenv("HOME")
	if home == "" && goos == "windows" {
		home = getenv("USERPROFILE")
	}
	base := baseDirs(getenv, goos, home)
	d := Dirs{
		Config: first(getenv("CLUSTERCTL_CONFIG_HOME"), join(base.Config, "cluster-api")),
		Cache:  first(getenv("CLUSTERCTL_CACHE_HOME"), join(base.Cache, "clusterctl")),
		State:  first(getenv("CLUSTERCTL_STATE_HOME"), join(base.State, "clusterctl")),
		Home:   home,
	}
	if d.Config == "" || d.Cache == "" || d.State == "" {
		return Dirs{}, ErrNoHome
	}
	return d, nil
}

// baseDirs gives the XDG directories, with each system's own habits where XDG variables aren't set.
func baseDirs(getenv func(string) string, goos, home string) Dirs {
	config, cache, state := join(home, ".config"), join(home, ".cache"), join(home, ".local", "state")
	if goos == "windows" {
		local := first(getenv("LOCALAPPDATA"), join(home, "AppData", "Local"))
		config, cache, state = local, join(local, "cache"), join(local, "state")
	}
	return Dirs{
		Config: first(absolute(getenv("XDG_CONFIG_HOME")), config),
		Cache:  first(absolute(getenv("XDG_CACHE_HOME")), cache),
		State:  first(absolute(getenv("XDG_STATE_HOME")), state),
	}
}

// absolute drops a relative path: the XDG specification says that those are invalid and to be ignored.
func absolute(p string) string {
	if !filepath.IsAbs(p) {
		return ""
	}
	return p
}

func join(base string, elem ...string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(append([]string{base}, elem...)...)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
