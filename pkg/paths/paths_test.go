// SPDX-License-Identifier: Apache-2.0

package paths

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	home := filepath.FromSlash("/home/ada")
	for name, tc := range map[string]struct {
		goos string
		env  map[string]string
		want Dirs
		err  error
	}{
		"the defaults": {"linux", map[string]string{"HOME": home}, Dirs{
			Config: filepath.Join(home, ".config/cluster-api"), Cache: filepath.Join(home, ".cache/clusterctl"),
			State: filepath.Join(home, ".local/state/clusterctl"), Home: home,
		}, nil},
		"XDG variables": {"linux", map[string]string{"HOME": home, "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/k", "XDG_STATE_HOME": "/s"}, Dirs{
			Config: filepath.FromSlash("/c/cluster-api"), Cache: filepath.FromSlash("/k/clusterctl"),
			State: filepath.FromSlash("/s/clusterctl"), Home: home,
		}, nil},
		"a relative XDG variable is invalid": {"linux", map[string]string{"HOME": home, "XDG_STATE_HOME": "state"}, Dirs{
			Config: filepath.Join(home, ".config/cluster-api"), Cache: filepath.Join(home, ".cache/clusterctl"),
			State: filepath.Join(home, ".local/state/clusterctl"), Home: home,
		}, nil},
		"our own variables win": {"linux", map[string]string{"CLUSTERCTL_CONFIG_HOME": "c", "CLUSTERCTL_CACHE_HOME": "k", "CLUSTERCTL_STATE_HOME": "s"}, Dirs{
			Config: "c", Cache: "k", State: "s",
		}, nil},
		"no home": {"linux", nil, Dirs{}, ErrNoHome},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := resolve(func(k string) string { return tc.env[k] }, tc.goos)
			if !errors.Is(err, tc.err) {
				t.Fatalf("error %v, want %v", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
