// SPDX-License-Identifier: Apache-2.0

package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	plain := errors.New("broken")
	for name, tc := range map[string]struct {
		err  error
		want fault.Code
	}{
		"nothing":                          {nil, 0},
		"plain":                            {plain, fault.Failed},
		"usage":                            {fault.Usagef("bad flag"), fault.Usage},
		"wrapped":                          {fmt.Errorf("create: %w", fault.Refusedf("no rights")), fault.Refused},
		"a hint alone has no class":        {fault.WithHint(plain, "try again"), fault.Failed},
		"a hint around a class":            {fault.WithHint(fault.Timeoutf("late"), "try again"), fault.Timeout},
		"the outermost class counts":       {fault.WithCode(fault.Partial, fault.Usagef("inner")), fault.Partial},
		"a cancelled context":              {fmt.Errorf("wait: %w", context.Canceled), fault.Interrupted},
		"a deadline":                       {context.DeadlineExceeded, fault.Timeout},
		"a class hides the context's code": {fault.WithCode(fault.Partial, context.Canceled), fault.Partial},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fault.CodeOf(tc.err); got != tc.want {
				t.Errorf("CodeOf(%v) = %d, want %d", tc.err, got, tc.want)
			}
		})
	}
}

func TestHintsAreCollectedOnce(t *testing.T) {
	t.Parallel()
	var l fault.List
	l.Add(fault.WithHint(errors.New("a"), "fix a"))
	l.Add(nil)
	l.Add(fault.WithHint(fault.WithHint(errors.New("b"), "fix b"), "fix a"))
	if diff := cmp.Diff([]string{"fix a", "fix b"}, fault.Hints(l.Err())); diff != "" {
		t.Error(diff)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	var l fault.List
	if l.Err() != nil {
		t.Error("an empty list is an error")
	}
	one := errors.New("one")
	l.Add(one)
	if l.Err() != one { //nolint:errorlint // the very same error is meant
		t.Error("a single fault is wrapped")
	}
	var inner fault.List
	inner.Add(errors.New("two"))
	inner.Add(errors.New("three"))
	l.Add(fmt.Errorf("file: %w", inner.Err()))
	l.Add(errors.New("file: two")) // the same fault, met again
	if got, want := l.Err().Error(), "3 faults:\n  - one\n  - file: two\n  - file: three"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(l.Err(), one) {
		t.Error("errors.Is doesn't see a fault of the list")
	}
}

// What is said around a list is said of each of its faults, and an error that joins a list with others keeps the others.
func TestListInAList(t *testing.T) {
	t.Parallel()
	var inner, l fault.List
	inner.Add(errors.New("a"))
	inner.Add(errors.New("b"))
	l.Add(fault.WithHint(fault.WithCode(fault.Refused, fmt.Errorf("addons: %w", inner.Err())), "mend the addons"))
	l.Add(errors.Join(inner.Err(), errors.New("c")))
	if got, want := len(l.Faults), 3; got != want {
		t.Fatalf("%d faults, want %d: %v", got, want, &l)
	}
	if got := l.Faults[1].Error(); got != "addons: b" {
		t.Errorf("got %q", got)
	}
	if fault.CodeOf(l.Faults[1]) != fault.Refused || fault.CodeOf(&l) != fault.Refused {
		t.Error("the class is lost")
	}
	if diff := cmp.Diff([]string{"mend the addons"}, fault.Hints(&l)); diff != "" {
		t.Error(diff)
	}
}

func TestAGeneralHintGivesWayToOneThatSaysMore(t *testing.T) {
	t.Parallel()
	general := &fault.Error{Err: errors.New("late"), Hint: "try again", Fallback: true}
	if diff := cmp.Diff([]string{"try again"}, fault.Hints(fmt.Errorf("x: %w", general))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"look at y"}, fault.Hints(fault.WithHint(general, "look at y"))); diff != "" {
		t.Error(diff)
	}
}
