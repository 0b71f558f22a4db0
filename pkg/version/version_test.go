// SPDX-License-Identifier: Apache-2.0

package version

import (
	"runtime/debug"
	"testing"
)

func TestGet(t *testing.T) {
	t.Parallel()
	checkout := &debug.BuildInfo{
		Main: debug.Module{Version: "(devel)"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
		},
	}
	cases := []struct {
		name                  string
		linked                linked
		build                 *debug.BuildInfo
		version, commit, date string
	}{
		{"nothing known", linked{}, nil, "v0.0.0-dev", "unknown", "unknown"},
		{"go build in a checkout", linked{}, checkout, "v0.0.0-dev", "abc-dirty", "2026-01-02T03:04:05Z"},
		{"go install", linked{}, &debug.BuildInfo{Main: debug.Module{Version: "v0.3.0"}}, "v0.3.0", "unknown", "unknown"},
		{"release", linked{"v1.0.0", "def", "2026-02-03T00:00:00Z"}, checkout, "v1.0.0", "def", "2026-02-03T00:00:00Z"},
	}
	for _, c := range cases {
		got := get(c.linked, c.build)
		if got.Version != c.version || got.Commit != c.commit || got.Date != c.date {
			t.Errorf("%s: %+v", c.name, got)
		}
		if got.Go == "" || got.Platform == "" || len(got.Contracts) == 0 {
			t.Errorf("%s: something is missing: %+v", c.name, got)
		}
	}
}
