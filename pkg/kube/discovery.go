// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Discover asks the server which kinds it serves, unless that is known already. Everything
// that needs to know calls it by itself. An API group whose server doesn't answer is no
// error here: only errors about its own kinds will tell.
func (c *Client) Discover(ctx context.Context) error {
	_, err := c.disco.get(ctx)
	if err != nil {
		return fmt.Errorf("discover kinds: %w", c.explainFirst(err))
	}
	return nil
}

// Invalidate forgets which kinds the server serves; the next call that needs it asks again.
func (c *Client) Invalidate() { c.disco.forget() }

// Mapping finds the resource of a kind in the first of the versions that is served, or in
// the preferred version where none is given. A kind that isn't known is looked for once
// more at the server. The error matches ErrNoKind where it isn't served.
func (c *Client) Mapping(ctx context.Context, gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	snap, err := c.disco.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", c.explainFirst(err))
	}
	if m := snap.mapping(gk, versions); m != nil {
		return m, nil
	}
	if snap, err = c.disco.refresh(ctx, snap); err != nil {
		return nil, fmt.Errorf("discover kinds: %w", c.explainFirst(err))
	}
	if m := snap.mapping(gk, versions); m != nil {
		return m, nil
	}
	return nil, snap.noKind(c.Host(), gk, versions)
}

// Kinds lists the kinds of all API groups that are, or end in ".", groupSuffix, each in its preferred version.
// The kinds of a group whose server doesn't answer are missing; FailedGroups tells.
func (c *Client) Kinds(ctx context.Context, groupSuffix string) ([]schema.GroupVersionKind, error) {
	snap, err := c.disco.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", c.explainFirst(err))
	}
	return snap.kinds(groupSuffix), nil
}

// Served lists the versions in which a kind is served, the preferred one first; none where it isn't.
func (c *Client) Served(ctx context.Context, gk schema.GroupKind) ([]string, error) {
	snap, err := c.disco.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", c.explainFirst(err))
	}
	return snap.served(gk), nil
}

// FailedGroups lists the API group versions that couldn't be discovered, with the reason.
func (c *Client) FailedGroups(ctx context.Context) (map[schema.GroupVersion]error, error) {
	snap, err := c.disco.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover kinds: %w", c.explainFirst(err))
	}
	return snap.failed, nil
}

// discoverer keeps what was discovered.
type discoverer struct {
	client rest.Interface

	mu   sync.Mutex
	snap *snapshot
}

func (d *discoverer) get(ctx context.Context) (*snapshot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.load(ctx)
}

// refresh asks again, unless somebody else did since the caller got its snapshot.
func (d *discoverer) refresh(ctx context.Context, seen *snapshot) (*snapshot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.snap == seen {
		d.snap = nil
	}
	return d.load(ctx)
}

func (d *discoverer) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.snap = nil
}

func (d *discoverer) load(ctx context.Context) (*snapshot, error) {
	if d.snap != nil {
		return d.snap, nil
	}
	snap, err := ask(ctx, d.client)
	if err != nil {
		return nil, err
	}
	d.snap = snap
	return snap, nil
}
