// SPDX-License-Identifier: Apache-2.0

package version

import "runtime/debug"

// What a release build sets, for example
//
//	go build -ldflags "-X github.com/clusterctl/clusterctl/pkg/version.version=v0.3.0"
//
// The linker can set package variables only; nothing else writes them.
var version, commit, date string

// Get describes this build: what was linked in, else what the toolchain recorded.
func Get() Info {
	build, _ := debug.ReadBuildInfo()
	return get(linked{version: version, commit: commit, date: date}, build)
}
