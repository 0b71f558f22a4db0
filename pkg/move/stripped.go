// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// stripWait is how long others have to take an exception out of a webhook configuration again; they do at once.
const stripWait = 2 * time.Second

// findStripped looks whether the exceptions stay. A controller that was built before there were match conditions and writes whole
// configurations, as cert-manager's CA injector up to 1.11 does, drops them with each of its writes. Where somebody does, the webhooks are
// taken out while their servers are down, as on an old server.
func (m *mover) findStripped(ctx context.Context) error {
	var watched []int
	for i, w := range m.journal.Webhooks {
		if w.Saved != nil {
			continue
		}
		cfg, err := m.o.Source.Get(ctx, gvkWebhooks(w.Kind), "", w.Name)
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return err
		}
		if len(rewriters(cfg)) > 0 {
			watched = append(watched, i)
		}
	}
	if len(watched) == 0 {
		return nil
	}
	for until := time.Now().Add(stripWait); ; {
		stripped, err := m.saveStripped(ctx, watched)
		if err != nil {
			return err
		}
		watched = slices.DeleteFunc(watched, func(i int) bool { return slices.Contains(stripped, i) })
		if len(watched) == 0 || time.Now().After(until) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(waitInterval):
		}
	}
}

// saveStripped notes in the journal what configurations whose exceptions are gone were without them.
func (m *mover) saveStripped(ctx context.Context, among []int) (stripped []int, err error) {
	for _, i := range among {
		w := &m.journal.Webhooks[i]
		cfg, err := m.o.Source.Get(ctx, gvkWebhooks(w.Kind), "", w.Name)
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		lost := slices.ContainsFunc(hooksOf(cfg), func(hook map[string]any) bool { return aboutCAPI(hook) && !hasCondition(hook, m.journal.ID) })
		if !lost {
			continue
		}
		dropConditions(cfg, m.journal.ID)
		if w.Saved, err = json.Marshal(cfg.Object["webhooks"]); err != nil {
			return nil, err
		}
		stripped = append(stripped, i)
		who := strings.Join(rewriters(cfg), ", ")
		if who == "" {
			who = "somebody"
		}
		event.Notef(m.o.Sink, "%s drops match conditions from %s %s: its webhooks are taken out while the source stands still", who, w.Kind, w.Name)
	}
	if len(stripped) == 0 {
		return nil, nil
	}
	return stripped, m.save(ctx)
}

// rewriters are the programs, other than those that install things, that update a configuration's webhooks.
func rewriters(cfg *unstructured.Unstructured) []string {
	var out []string
	for _, f := range cfg.GetManagedFields() {
		installs := f.Manager == kube.FieldManager || strings.HasPrefix(f.Manager, "kubectl") || strings.HasPrefix(f.Manager, "helm")
		if !installs && f.Operation == metav1.ManagedFieldsOperationUpdate && kube.Manages(f, "webhooks") && !slices.Contains(out, f.Manager) {
			out = append(out, f.Manager)
		}
	}
	return out
}

// checkWebhooks looks once more, right before the source's controllers go: who needed longer to take the exceptions out is found then.
func (m *mover) checkWebhooks(ctx context.Context) error {
	all := make([]int, 0, len(m.journal.Webhooks))
	for i, w := range m.journal.Webhooks {
		if w.Saved == nil {
			all = append(all, i)
		}
	}
	if _, err := m.saveStripped(ctx, all); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	return nil
}
