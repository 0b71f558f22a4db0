// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"errors"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// undoIfRefused puts everything back after an error that can't heal, and tells of both.
func (m *mover) undoIfRefused(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || mayHeal(err) {
		return err
	}
	return m.undone(ctx, err, m.rollback)
}

// undone undoes, and tells of that and of the error that led to it.
func (m *mover) undone(ctx context.Context, err error, undo func(context.Context) (string, error)) error {
	if undoErr := m.step(ctx, "rollback", "Roll back", undo); undoErr != nil {
		var both fault.List
		both.Add(err)
		both.Add(fmt.Errorf("roll back: %w", undoErr))
		return both.Err()
	}
	m.journal = nil
	return fault.WithCode(fault.Failed, &rolledBack{err, m.dir != nil})
}

// mayHeal says of an error that the same move can go on later; then it stays where it is.
func mayHeal(err error) bool {
	switch {
	case errors.Is(err, errStandstill):
		return false
	case errors.Is(err, errLost), fault.CodeOf(err) == fault.Timeout, fault.CodeOf(err) == fault.Interrupted:
		return true
	}
	class := kube.Classify(err)
	return class == kube.ClassRetry || class == kube.ClassConflict
}

// rolledBack is an error after which everything is as it was before the move.
type rolledBack struct {
	err     error
	restore bool
}

// Error says that too.
func (e *rolledBack) Error() string {
	if e.restore {
		return e.err.Error() + "; rolled back: what was created is gone from the target again"
	}
	return e.err.Error() + "; rolled back: the source is as it was and the copies are gone from the target"
}

// Unwrap returns the cause.
func (e *rolledBack) Unwrap() error { return e.err }
