// SPDX-License-Identifier: Apache-2.0

package event_test

import (
	"testing"

	"github.com/clusterctl/clusterctl/pkg/event"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 objects", 1: "1 object", 2: "2 objects"} {
		if got := event.Count(n, "object"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
