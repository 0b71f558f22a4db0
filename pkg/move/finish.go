// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"

	"github.com/clusterctl/clusterctl/pkg/kube"
)

// finish restores what quiesce changed on the source, and drops the journal: on the source last.
func (m *mover) finish(ctx context.Context) (string, error) {
	j := m.journal
	text := "the source is as it was"
	if !j.Discard {
		if err := m.giveBack(ctx, j.Remaining); err != nil {
			return "", err
		}
		if len(j.Controllers) > 0 && !j.Remaining {
			text = fmt.Sprintf("nothing is left to manage on the source: its %d controllers stay at 0 (a move back starts them)", len(j.Controllers))
		}
	} else {
		text = "the source can be deleted"
	}
	for _, d := range j.TargetControllers {
		if err := scale(ctx, m.dst, d, d.Replicas, 0); err != nil {
			return "", fmt.Errorf("target: %w", err)
		}
	}
	if err := m.deleteInventory(ctx); err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	if err := deleteJournal(ctx, m.dst); err != nil {
		return "", fmt.Errorf("target: %w", err)
	}
	drop := deleteJournal
	if j.Discard {
		// What the source still holds looks alive. The journal goes with it, and says so until then.
		j.Phase = PhaseMoved
		drop = func(ctx context.Context, c *kube.Client) error { return writeJournal(ctx, c, j) }
	}
	if err := drop(ctx, m.o.Source); err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	return text, nil
}

// giveBack starts the source's controllers again, where they are needed, and makes its webhooks what they were.
func (m *mover) giveBack(ctx context.Context, start bool) error {
	j := m.journal
	if start {
		for _, d := range j.Controllers {
			if err := scale(ctx, m.o.Source, d, d.Replicas, 0); err != nil {
				return fmt.Errorf("source: %w", err)
			}
		}
	}
	for _, w := range j.Webhooks {
		var err error
		if w.Saved == nil {
			err = unexempt(ctx, m.o.Source, w, j.ID)
		} else {
			err = rearm(ctx, m.o.Source, w)
		}
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
	}
	return nil
}

// sum fills the report in.
func (m *mover) sum() {
	if m.o.Source != nil {
		m.report.Requests.Source = m.o.Source.Requests().Sub(m.srcBefore)
	}
	m.report.Requests.Target = m.o.Target.Requests().Sub(m.dstBefore)
	m.report.fill(m)
}
