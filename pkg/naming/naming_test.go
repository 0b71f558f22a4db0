// SPDX-License-Identifier: Apache-2.0

package naming_test

import (
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/naming"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		label, subdomain bool
	}{
		{"prod", true, true},
		{"prod-1", true, true},
		{"9", true, true},
		{"a.b", false, true},
		{"", false, false},
		{"Prod", false, false},
		{"a_b", false, false},
		{"-a", false, false},
		{"a-", false, false},
		{"a..b", false, false},
		{"größe", false, false},
		{"a\x1b[2J", false, false},
		{strings.Repeat("a", 63), true, true},
		{strings.Repeat("a", 64), false, true},
		{strings.Repeat("a", 254), false, false},
	} {
		for kind, check := range map[string]struct {
			err error
			ok  bool
		}{"label": {naming.Label("cluster name", tt.name), tt.label}, "subdomain": {naming.Subdomain("cluster name", tt.name), tt.subdomain}} {
			switch {
			case check.ok != (check.err == nil):
				t.Errorf("%s %q: %v", kind, tt.name, check.err)
			case check.err == nil:
			case fault.CodeOf(check.err) != fault.Usage:
				t.Errorf("%s %q: code %d", kind, tt.name, fault.CodeOf(check.err))
			case len(check.err.Error()) > 300 || strings.Contains(check.err.Error(), "\x1b") || !strings.HasPrefix(check.err.Error(), `cluster name "`):
				t.Errorf("%s %q: %v", kind, tt.name, check.err)
			}
		}
	}
}
