// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// release deletes the source's objects, leaves first: each only in the state in which it was copied.
func (m *mover) release(ctx context.Context) (string, error) {
	if m.journal.Discard {
		return "nothing: the source is deleted as a whole", nil
	}
	if err := m.pass(); err != nil {
		return "", err
	}
	if err := m.scaledBack(ctx); err != nil {
		return "", err
	}
	var list []entry
	if m.copies != nil {
		list = m.entries()
	} else {
		var err error
		if list, err = m.readInventory(ctx); err != nil {
			return "", err
		}
	}
	m.dropContents()
	if err := m.freeFromOwners(ctx, list); err != nil {
		return "", err
	}
	p := m.progress("release", len(list))
	defer p.stop()
	deleted := 0
	for end := len(list); end > 0; {
		begin := end
		for begin > 0 && list[begin-1].Level == list[end-1].Level {
			begin--
		}
		err := m.srcWidth.each(ctx, end-begin, func(ctx context.Context, i int) error {
			defer p.add()
			e := list[begin+i]
			if e.Stays {
				return nil
			}
			return m.releaseOne(ctx, e)
		})
		if err != nil {
			return "", err
		}
		end = begin
	}
	for _, e := range list {
		if !e.Stays {
			deleted++
		}
	}
	text := event.Count(deleted, "object") + " deleted on the source"
	if stay := len(list) - deleted; stay > 0 {
		text += fmt.Sprintf(", %d stay for others", stay)
	}
	return text, m.scaledBack(ctx)
}

// freeFromOwners takes the owners off what stays though all of them go: the garbage collector would delete it with them.
func (m *mover) freeFromOwners(ctx context.Context, list []entry) error {
	var free []entry
	for _, e := range list {
		if e.Stays && e.LosesOwners {
			free = append(free, e)
		}
	}
	return m.srcWidth.each(ctx, len(free), func(ctx context.Context, i int) error {
		e := free[i]
		patch := fmt.Appendf(nil, `{"metadata":{"uid":%q,"ownerReferences":null}}`, e.UID)
		_, err := m.src.SendPatch(ctx, kube.Target{GVK: e.WithVersion(e.Version), Namespace: e.Namespace, Name: e.Name}, types.MergePatchType, patch)
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return fmt.Errorf("source: %w", err)
		}
		return nil
	})
}

func (m *mover) releaseOne(ctx context.Context, e entry) error {
	t := kube.Target{GVK: e.WithVersion(e.Version), Namespace: e.Namespace, Name: e.Name}
	err := remove(ctx, m.src, t, e.UID, e.State, e.Finalizers)
	for try := 0; errors.Is(err, errChanged) && try < 5; try++ {
		var state string
		if state, err = m.newState(ctx, e); err != nil || state == "" {
			return err
		}
		err = remove(ctx, m.src, t, e.UID, state, true)
	}
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	return nil
}

// newState looks at a source object that isn't in the state any more that was copied. Where only bookkeeping differs, by us or the
// server, its state is good to be deleted; a real change is brought to the copy first, so that it isn't lost.
func (m *mover) newState(ctx context.Context, e entry) (string, error) {
	live, err := m.src.Get(ctx, e.WithVersion(e.Version), e.Namespace, e.Name)
	if apierrors.IsNotFound(err) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	if live.GetUID() != e.UID {
		event.Warnf(m.o.Sink, "%s was made anew on the source (by %s) after it was copied: it stays there", e.Key, lastWriter(live))
		return "", nil
	}
	if live.GetDeletionTimestamp() != nil && len(live.GetFinalizers()) == 0 {
		return "", nil
	}
	copied, err := m.dst.Get(ctx, e.WithVersion(e.Version), e.Namespace, e.Name)
	if err != nil {
		return "", fmt.Errorf("target: %w", err)
	}
	if copied.GetUID() != e.Copy {
		return "", fault.Refusedf("%s on the target isn't the copy any more: somebody made it anew", e.Key)
	}
	if updated, err := m.bringUpToDate(ctx, e, live, copied); err != nil {
		return "", err
	} else if updated {
		event.Warnf(m.o.Sink, "%s was changed on the source (by %s) after it was copied: the change was brought to its copy", e.Key, lastWriter(live))
	}
	return live.GetResourceVersion(), nil
}

// dropContents lets go of what was read on the source: releasing needs the inventory only.
func (m *mover) dropContents() {
	if m.plan == nil {
		return
	}
	for _, o := range m.plan.Objects {
		o.Source = nil
	}
}
