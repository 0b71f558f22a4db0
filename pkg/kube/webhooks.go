// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const admissionGroup = "admissionregistration.k8s.io"

var (
	gkMutating   = schema.GroupKind{Group: admissionGroup, Kind: "MutatingWebhookConfiguration"}
	gkValidating = schema.GroupKind{Group: admissionGroup, Kind: "ValidatingWebhookConfiguration"}
)

// WebhooksAnswer gives a condition for each webhook configuration and each CRD with a conversion webhook among the
// objects: its webhooks answer the API server.
//
// What is proved: webhooks that share a server (the same service and port, or the same host and port) and a
// caBundle are proved together, by one request that the API server can only answer after it has called one of them:
//
//   - mutating, for CREATE: a dry-run create of a minimal object "clusterctl-probe". Mutating webhooks come
//     before the schema is checked, so also an object that is refused as invalid has passed them.
//   - validating, for CREATE: the same; the object is made from the CRD's schema, so that it gets that far. Being
//     denied by the webhook is an answer.
//   - for UPDATE only: a dry-run patch that changes nothing of an object that is there.
//   - conversion: a dry-run create, or a list of what is there, at a version that isn't the stored one.
//
// Where no such request can be made (no right to, no object to be had that the schema accepts, a webhook that refuses
// dry runs), the server is asked directly, over the API server's service proxy, or at its URL. That proves that it
// listens, and at a URL also that its certificate fits, but not that the API server reaches it.
//
// Not proved: webhooks with failurePolicy Ignore may not be called at all, which hurts nobody; webhooks whose
// namespaceSelector fits no namespace, or whose rules name kinds that aren't served, are never called.
func (c *Client) WebhooksAnswer(objs []*unstructured.Unstructured) []Condition {
	p := &prover{Client: c, proved: map[string]bool{}, failed: map[string]failure{}, locks: map[string]*sync.Mutex{}}
	var out []Condition
	for _, gk := range []schema.GroupKind{gkMutating, gkValidating, gkCRD} {
		for _, u := range objs {
			if u.GroupVersionKind().GroupKind() == gk && len(hooksOf(u)) > 0 {
				out = append(out, p.condition(u))
			}
		}
	}
	return out
}

// prover remembers which webhook servers have proved to answer.
type prover struct {
	*Client
	mu     sync.Mutex
	proved map[string]bool
	failed map[string]failure
	locks  map[string]*sync.Mutex
}

// failure is the last reason why a server was found not to answer.
type failure struct {
	reason string
	at     time.Time
}

// failureAge is how long a failure stands for all webhooks of a server: one look asks each server once, and not every look does.
const failureAge = 700 * time.Millisecond

// failedLately is why a server was found not to answer a moment ago; empty: it wasn't asked, or may answer by now.
func (p *prover) failedLately(hooks []hook) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range hooks {
		if f := p.failed[h.key()]; f.reason != "" && time.Since(f.at) < failureAge {
			return f.reason
		}
	}
	return ""
}

func (p *prover) condition(u *unstructured.Unstructured) Condition {
	gvk, name := u.GroupVersionKind(), u.GetName()
	return ConditionFunc(objectText("webhooks of "+gvk.Kind, "", name), func(ctx context.Context) (bool, string, error) {
		hooks := hooksOf(u)
		if why := p.failedLately(hooks); why != "" {
			return false, why, nil
		}
		// CRDs are large; they are read only where somebody else fills the caBundle in.
		if gvk.GroupKind() != gkCRD || hooks[0].caBundle == "" {
			live, err := p.Get(ctx, gvk, "", name)
			if err != nil {
				return false, "", err
			}
			if gvk.GroupKind() != gkCRD && time.Since(changedAt(live)) < settle {
				return false, "the API server is still taking it in", nil
			}
			hooks = hooksOf(live)
		}
		return p.proveAll(ctx, hooks)
	})
}

// settle is how long an API server may take until it calls webhooks that were configured a moment ago. A request
// sent before would pass without, and prove nothing. Times in objects are cut to seconds, so half of it may be gone.
const settle = 2 * time.Second

// changedAt is when an object was written last.
func changedAt(u *unstructured.Unstructured) time.Time {
	last := u.GetCreationTimestamp().Time
	for _, f := range u.GetManagedFields() {
		if f.Time != nil && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last
}

// proveAll proves the servers of some webhooks, each by the first webhook that it can be proved with.
func (p *prover) proveAll(ctx context.Context, hooks []hook) (bool, string, error) {
	var servers []string
	for _, h := range hooks {
		if k := h.key(); !slices.Contains(servers, k) {
			servers = append(servers, k)
		}
	}
	for _, k := range servers {
		same := slices.DeleteFunc(slices.Clone(hooks), func(h hook) bool { return h.key() != k })
		if done, reason, err := p.prove(ctx, k, same); err != nil || !done {
			return false, reason, err
		}
	}
	return true, "", nil
}

func (p *prover) prove(ctx context.Context, key string, hooks []hook) (bool, string, error) {
	p.mu.Lock()
	lock := p.locks[key]
	if lock == nil {
		lock = &sync.Mutex{}
		p.locks[key] = lock
	}
	p.mu.Unlock()
	lock.Lock() // one at a time and server: the others profit
	defer lock.Unlock()
	ctx = quietly(ctx) // old versions are asked for on purpose
	p.mu.Lock()
	proved, failed := p.proved[key], p.failed[key]
	p.mu.Unlock()
	if proved {
		return true, "", nil
	}
	if time.Since(failed.at) < failureAge {
		return false, failed.reason, nil
	}
	verdict, reason, err := p.ask(ctx, hooks)
	if err != nil {
		return false, "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.proved[key] = verdict == answers
	p.failed[key] = failure{reason: reason, at: time.Now()}
	return verdict == answers, reason, nil
}

// ask tries the webhooks of one server until one says something certain.
func (p *prover) ask(ctx context.Context, hooks []hook) (verdict, string, error) {
	const enough = 5
	for _, h := range hooks[:min(len(hooks), enough)] {
		v, reason, err := p.probe(ctx, h)
		if err != nil || v != unknown {
			return v, reason, err
		}
	}
	return p.askDirectly(ctx, hooks[0])
}

// verdict is what a probe found out.
type verdict int

const (
	unknown verdict = iota
	answers
	silent
)

// hook is one webhook, of whatever sort.
type hook struct {
	sort      schema.GroupKind // gkMutating, gkValidating or gkCRD
	name      string
	siblings  []string // the names of all webhooks of its configuration
	rules     []rule
	namespace map[string]any // namespaceSelector
	object    map[string]any // objectSelector
	url       string
	service   service
	caBundle  string
	crd       crd
}

// rule is a webhook's rule.
type rule struct{ groups, versions, resources, operations []string }

// service is a webhook's service.
type service struct {
	namespace, name, path string
	port                  int64
}

// key identifies a webhook's server and how it is trusted.
func (h hook) key() string {
	ca := sha256.Sum256([]byte(h.caBundle))
	return fmt.Sprintf("%s %x", h.server(), ca[:8])
}
