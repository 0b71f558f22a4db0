// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

// A line of progress has the step's name already: only the cause is news.
func TestAFailedStepTellsItsCauseOnly(t *testing.T) {
	t.Parallel()
	two := &fault.List{}
	two.Add(errors.New("a is missing"))
	two.Add(errors.New("b is missing"))
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"one line":      {errors.New("no route to host"), "no route to host"},
		"many lines":    {errors.New("first\nsecond"), "first"},
		"a list":        {errors.New("timed out:\n  - a: no space left\n  - b\n  - c"), "timed out: a: no space left (and 2 more)"},
		"a list of one": {errors.New("timed out:\n  - a: no space left"), "timed out: a: no space left"},
		"many faults":   {two, "a is missing (and 1 more)"},
		"faults inside": {fmt.Errorf("addons: %w", two), "a is missing (and 1 more)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said []string
			steps := []Step{{Info: Info{"x", "Do x"}, Run: func(context.Context) (string, error) { return "", tc.err }}}
			err := runSteps(t.Context(), steps, event.Func(func(e event.Event) {
				if e.Kind == event.Fail {
					said = append(said, e.Message)
				}
			}))
			if diff := cmp.Diff([]string{tc.want}, said); diff != "" {
				t.Error(diff)
			}
			if !errors.Is(err, tc.err) || !strings.HasPrefix(err.Error(), "step x: ") {
				t.Errorf("error %v: want the step's name", err)
			}
		})
	}
}

// What goes on is said where something was done; where nothing was, only what to mend.
func TestAFailedRunSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	records := OpenRecords(t.TempDir())
	rec := &Record{Name: "demo", Namespace: "default", Bootstrap: BootstrapRecord{Type: bootstrap.Local, Name: "demo"}}
	if err := records.Save(rec); err != nil {
		t.Fatal(err)
	}
	c := &Create{records: records, record: rec}
	late := &fault.Error{Code: fault.Timeout, Err: context.DeadlineExceeded, Hint: "run it again", Fallback: true}
	for name, tc := range map[string]struct {
		step string
		err  error
		code fault.Code
		goOn bool
	}{
		"wrong input, nothing done":       {StepPreflight, fault.Usagef("x"), fault.Usage, false},
		"refused, nothing done":           {StepPreflight, fault.Refusedf("x"), fault.Refused, false},
		"wrong input, found on the way":   {StepKubeconfig, fault.Usagef("x"), fault.Partial, true},
		"refused on the way":              {StepCluster, fault.Refusedf("x"), fault.Partial, true},
		"any other error":                 {StepProviders, errors.New("x"), fault.Partial, true},
		"too late, with a general hint":   {StepProviders, late, fault.Timeout, true},
		"too late, before the first step": {StepPreflight, late, fault.Timeout, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.explain(&stepError{step: tc.step, err: tc.err}, StepPreflight)
			if fault.CodeOf(err) != tc.code {
				t.Errorf("class %d, want %d", fault.CodeOf(err), tc.code)
			}
			hints := fault.Hints(err)
			if got := len(hints) == 2 && strings.Contains(hints[0], "go on") && strings.Contains(hints[1], "clean up"); got != tc.goOn || !got && len(hints) > 0 {
				t.Errorf("hints %q: how to go on is said %v, want %v", hints, got, tc.goOn)
			}
		})
	}
}
