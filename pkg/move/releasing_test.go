// SPDX-License-Identifier: Apache-2.0

package move

import (
	"errors"
	"testing"
	"time"

	"github.com/clusterctl/clusterctl/test/graph"
)

// TestReleasing is told before the source gives anything up, again when the move goes on, and can end the run there.
func TestReleasing(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 2*time.Minute)
	s := newStage(t, ctx, "releasing")
	s.arm(t)
	full := errors.New("disk full")
	told := 0
	o := s.options(t, &guillotine{}, "first")
	o.Releasing = func() error {
		told++
		return full
	}
	if _, err := Run(ctx, o); !errors.Is(err, full) || told != 1 {
		t.Fatalf("told %d times: %v", told, err)
	}
	c := connect(t, s.at)
	if got, want := len(look(t, c, graph.Version, s.namespace)), len(s.before); got != want {
		t.Errorf("%d of %d objects are left on the source", got, want)
	}
	if st, err := Inspect(ctx, c); err != nil || st == nil || st.Phase != PhaseReleasing || st.CanRollBack {
		t.Errorf("%+v, %v", st, err)
	}
	o = s.options(t, &guillotine{}, "second")
	o.Releasing = func() error {
		told++
		return nil
	}
	if _, err := Run(ctx, o); err != nil || told != 2 {
		t.Fatalf("told %d times: %v", told, err)
	}
	s.arrived(t, "releasing")
}
