// SPDX-License-Identifier: Apache-2.0

// Package version says which build this is. It knows no cluster and asks nobody.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Info describes a build.
type Info struct {
	// Version is a semantic version with a leading v, or "v0.0.0-dev" for a build that has none.
	Version string `json:"version"`
	// Commit is the revision it was built from, with "-dirty" if the tree had changes; "unknown" without one.
	Commit string `json:"commit"`
	// Date is when that revision was made, RFC 3339; "unknown" without one.
	Date string `json:"date"`
	// Go is the version of the toolchain.
	Go string `json:"go"`
	// Platform is the operating system and architecture.
	Platform string `json:"platform"`
	// Contracts are the versions of the Cluster API contract that this build works with, oldest first.
	Contracts []string `json:"contracts"`
}

// Unknown stands for what a build doesn't tell.
const Unknown = "unknown"

// linked is what a release build sets; an empty field is looked up in the build information.
type linked struct{ version, commit, date string }

func get(l linked, build *debug.BuildInfo) Info {
	info := Info{
		Version: "v0.0.0-dev", Commit: Unknown, Date: Unknown,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Contracts: []string{"v1alpha2", "v1alpha3", "v1alpha4", "v1beta1", "v1beta2"},
	}
	fromBuild(&info, build)
	set(&info.Version, l.version)
	set(&info.Commit, l.commit)
	set(&info.Date, l.date)
	return info
}

// fromBuild takes what "go build" and "go install module@version" record.
func fromBuild(info *Info, build *debug.BuildInfo) {
	if build == nil {
		return
	}
	if v := build.Main.Version; strings.HasPrefix(v, "v") {
		info.Version = v
	}
	dirty := ""
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision":
			set(&info.Commit, s.Value)
		case s.Key == "vcs.time":
			set(&info.Date, s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if info.Commit != Unknown {
		info.Commit += dirty
	}
}

func set(field *string, value string) {
	if value != "" {
		*field = value
	}
}
