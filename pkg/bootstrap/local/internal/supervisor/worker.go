// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// publishRetry is how often a status that the API server didn't take is written again.
const publishRetry = time.Second

// podWorker runs one Deployment: it alone starts and stops its processes and writes its status.
type podWorker struct {
	k   *kubelet
	key string
	// before is the worker of a Deployment of the same name that was deleted; it must be gone first.
	before *podWorker
	done   chan struct{}
	wake   chan struct{}

	mu     sync.Mutex
	latest *appsv1.Deployment
	given  bool
	gone   bool
}

func newPodWorker(k *kubelet, key string, before *podWorker) *podWorker {
	return &podWorker{k: k, key: key, before: before, done: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// give sets the version to run; nil means that the Deployment is gone.
func (w *podWorker) give(d *appsv1.Deployment) {
	w.mu.Lock()
	w.latest, w.given = d, true
	w.gone = w.gone || d == nil
	w.mu.Unlock()
	w.poke()
}

// ended says that the worker takes no more versions: its Deployment was deleted.
func (w *podWorker) ended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone
}

func (w *podWorker) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run follows the Deployment until it is gone or ctx ends; then nothing of it runs.
func (w *podWorker) run(ctx context.Context) {
	defer close(w.done)
	if w.before != nil {
		<-w.before.done
		w.before = nil
	}
	var running *instance
	defer func() { running.stop() }()
	for {
		var retry <-chan time.Time
		w.mu.Lock()
		d, gone := w.latest, w.gone
		w.mu.Unlock()
		if gone {
			running.stop()
			running = nil
			_ = os.RemoveAll(w.k.dir.Pod(splitKey(w.key)))
			return
		}
		running = w.follow(ctx, d, running)
		if err := w.publish(ctx, d, running); err != nil {
			retry = time.After(publishRetry)
		}
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-retry:
		}
	}
}

// follow makes what runs be what the Deployment wants.
func (w *podWorker) follow(ctx context.Context, d *appsv1.Deployment, running *instance) *instance {
	want := replicas(d) > 0
	template := fingerprint(d)
	if running != nil && (!want || running.template != template) {
		running.stop()
		running = nil
	}
	if running == nil && want {
		running = w.k.newInstance(ctx, w, d, template)
	}
	return running
}

func replicas(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
}

// fingerprint tells pod templates apart.
func fingerprint(d *appsv1.Deployment) string {
	data, _ := json.Marshal(d.Spec.Template) // It came from JSON.
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// splitKey takes namespace/name apart.
func splitKey(key string) (namespace, name string) {
	namespace, name, _ = strings.Cut(key, "/")
	return namespace, name
}
