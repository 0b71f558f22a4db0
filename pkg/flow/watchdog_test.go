// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clusterctl/clusterctl/pkg/bootstrap"
	"github.com/clusterctl/clusterctl/pkg/event"
)

// fragile is a local bootstrap cluster that has stopped, and can be brought back unless somebody deleted it.
type fragile struct {
	bootstrap.Cluster
	deleted bool
	brought int
}

func (f *fragile) Type() bootstrap.Type { return bootstrap.Local }
func (f *fragile) Name() string         { return "lab" }

func (f *fragile) Status(context.Context) (bootstrap.Status, error) {
	if f.brought > 0 {
		return bootstrap.Status{State: bootstrap.Running}, nil
	}
	return bootstrap.Status{State: bootstrap.Stopped}, nil
}

func (f *fragile) BringBack(context.Context, event.Sink) error {
	if f.deleted {
		return bootstrap.ErrMissing
	}
	f.brought++
	return nil
}

// A step is watched with the bootstrap cluster that there is when it begins: the first ones of a deletion may make another.
func TestTheBootstrapOfTheStepIsWatched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before, after := &fragile{}, &fragile{}
		d := &Delete{boot: before}
		s := d.keptUp(Step{Info: Info{Name: StepMoveOut}, Run: func(ctx context.Context) (string, error) {
			select {
			case <-ctx.Done():
				return "", context.Cause(ctx)
			case <-time.After(time.Minute):
				return "moved", nil
			}
		}})
		d.boot = after
		outcome, err := s.Run(t.Context())
		if err != nil || outcome != "moved" || before.brought != 0 || after.brought != 1 {
			t.Errorf("%q, %v: the one before was brought back %d times, the one of now %d times", outcome, err, before.brought, after.brought)
		}
	})
}

// Nothing takes the place of what was deleted under a step: the step ends and says why.
func TestADeletedBootstrapEndsTheStep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := &Create{boot: &fragile{deleted: true}}
		s := c.keptUp(Step{Info: Info{Name: StepWaitNodes}, Run: func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}})
		_, err := s.Run(t.Context())
		if !errors.Is(err, bootstrap.ErrMissing) || !strings.Contains(err.Error(), "stopped meanwhile") || time.Since(began) > 2*watchInterval {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
