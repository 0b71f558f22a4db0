// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

const leaseName = "clusterctl-move"

// errLost says that the lease couldn't be kept.
var errLost = errors.New("the lease of the move was lost")

// locked runs f while no other move can run on the two clusters, and sums up.
func (m *mover) locked(ctx context.Context, f func(context.Context) error) (*Report, error) {
	release, ctx, err := m.lock(m.reporting(ctx))
	if err != nil {
		return nil, err
	}
	if err = m.persist(ctx, "lock", m.stillAlone); err == nil {
		err = f(ctx)
	} else if m.journal != nil && !m.journal.begun() {
		m.journal = nil // it never began
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errLost) {
		err = cause
	}
	release()
	m.sum()
	if err != nil {
		return m.report, m.stopped(err)
	}
	return m.report, nil
}

// stillAlone looks again, now that nobody else can begin, whether another move began between our first look and the lease.
// A move of our own begins here: with its journal.
func (m *mover) stillAlone(ctx context.Context) error {
	found, err := m.findJournal(ctx, m.journal.Source, m.journal.Target)
	if err != nil {
		return err
	}
	switch {
	case found == nil && m.journal.begun():
		return m.neverBegan(fault.Refusedf("the move %s was finished, or undone, by somebody else", m.journal.ID))
	case found != nil && found.ID != m.journal.ID:
		return m.neverBegan(otherMove(found))
	case found != nil:
		m.journal = found
		return nil
	}
	return m.save(ctx)
}

func (m *mover) neverBegan(err error) error {
	m.journal = nil
	return err
}

// stopped says of an error in the middle of a move where things are and how to go on.
func (m *mover) stopped(err error) error {
	if m.journal == nil { // nothing was begun, or it is undone
		return err
	}
	code := fault.CodeOf(err)
	if code != fault.Interrupted && code != fault.Timeout {
		err = fault.WithCode(fault.Partial, err)
	}
	if m.o.Part {
		return err
	}
	if m.dir != nil {
		return fault.WithHint(err, "what was created is on the target, paused; the same command again goes on, --rollback beside --from-directory removes it")
	}
	if m.journal.BeforeRelease() {
		return fault.WithHint(err, "nothing was deleted on the source; the same command again goes on (or --resume), --rollback puts everything back")
	}
	return fault.WithHint(err, "every object is on the target, and was compared; the same command again goes on (or --resume)")
}

// lock takes the leases and keeps them until release is called. The context ends when one is lost.
func (m *mover) lock(ctx context.Context) (release func(), locked context.Context, err error) {
	holder, err := json.Marshal(m.o.By)
	if err != nil {
		return nil, nil, err
	}
	clients := []*kube.Client{m.dst}
	if m.o.Source != nil {
		clients = []*kube.Client{m.o.Source, m.dst}
	}
	for i, c := range clients {
		if err := m.acquire(ctx, c, string(holder)); err != nil {
			for _, held := range clients[:i] {
				_ = held.ReleaseLease(context.WithoutCancel(ctx), journalNamespace, leaseName, string(holder))
			}
			return nil, nil, err
		}
	}
	locked, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.renew(locked, cancel, clients, string(holder))
	}()
	return func() {
		cancel(nil)
		<-done
		// Also after Ctrl-C: a lease that stays keeps the next run waiting.
		quick, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer stop()
		for _, c := range clients {
			_ = c.ReleaseLease(quick, journalNamespace, leaseName, string(holder))
		}
	}, locked, nil
}

func (m *mover) renew(ctx context.Context, cancel context.CancelCauseFunc, clients []*kube.Client, holder string) {
	tick := time.NewTicker(m.o.LeaseTTL / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, c := range clients {
			within, stop := context.WithTimeout(ctx, m.o.LeaseTTL/3)
			err := c.AcquireLease(within, journalNamespace, leaseName, holder, m.o.LeaseTTL)
			stop()
			if errors.Is(err, kube.ErrLeaseHeld) {
				cancel(fmt.Errorf("%w: %w", errLost, err))
				return
			}
		}
	}
}

// acquire takes one lease. That of a move whose process is known to be dead is taken over; that of one which may be is
// waited for as long as it lasts.
func (m *mover) acquire(ctx context.Context, c *kube.Client, holder string) error {
	deadline := time.Now().Add(m.o.LeaseTTL + time.Second)
	for {
		err := c.AcquireLease(ctx, journalNamespace, leaseName, holder, m.o.LeaseTTL)
		if !errors.Is(err, kube.ErrLeaseHeld) {
			return err
		}
		l, readErr := readLease(ctx, c)
		if readErr != nil {
			return readErr
		}
		by := l.by
		if by.dead(m.o.By.Host, m.o.Alive) {
			if err := c.ReleaseLease(ctx, journalNamespace, leaseName, l.holder); err != nil {
				return err
			}
			continue
		}
		renewed := time.Since(l.renewed)
		lives := m.o.Alive != nil && by.Host == m.o.By.Host
		if m.journal == nil || lives || time.Now().After(deadline) || renewed < 0 {
			return fault.WithHint(fault.Refusedf("another move holds the lease on %s: %s, renewed %s ago", c.Host(), by, renewed.Round(time.Second)),
				"wait for it; if its process is gone for good, its lease ends within %s", m.o.LeaseTTL)
		}
		event.Progressf(m.o.Sink, "lock", "waiting until the lease of %s ends, which may be dead", by)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(m.o.LeaseTTL/10, time.Second)):
		}
	}
}

// lease is one as it stands on a cluster.
type lease struct {
	// holder is the text that it holds, empty where there is none; by is what that says.
	holder  string
	by      Identity
	renewed time.Time
	lasts   time.Duration
}

func readLease(ctx context.Context, c *kube.Client) (lease, error) {
	u, err := c.Get(ctx, gvkLease(), journalNamespace, leaseName)
	if apierrors.IsNotFound(err) {
		return lease{renewed: time.Now()}, nil
	} else if err != nil {
		return lease{}, err
	}
	var l lease
	l.holder, _, _ = unstructured.NestedString(u.Object, "spec", "holderIdentity")
	if json.Unmarshal([]byte(l.holder), &l.by) != nil {
		l.by = Identity{User: l.holder}
	}
	text, _, _ := unstructured.NestedString(u.Object, "spec", "renewTime")
	l.renewed, _ = time.Parse(time.RFC3339Nano, text)
	seconds, _, _ := unstructured.NestedInt64(u.Object, "spec", "leaseDurationSeconds")
	l.lasts = time.Duration(seconds) * time.Second
	return l, nil
}

// inForce says whether it is somebody's at this moment.
func (l lease) inForce() bool { return l.holder != "" && time.Since(l.renewed) < l.lasts }

// dead says of a process whether it is known to run no more: it was one of this host, and alive, which may be nil, denies it.
func (i Identity) dead(host string, alive func(Identity) bool) bool {
	return alive != nil && i.Host == host && !alive(i)
}

func gvkLease() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}
}
