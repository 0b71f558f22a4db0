// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/testenv"
)

var errKilled = fmt.Errorf("killed: %w", context.Canceled)

// guillotine stands between a move and both servers, and ends everything at one request: before it is sent, or after it was
// carried out and before its answer arrives. From then on nothing gets through, as if the process were gone.
type guillotine struct {
	mu sync.Mutex
	// at is the number of the request, from 1; 0 never falls. after lets that one through.
	at     int
	after  bool
	count  int
	fallen bool
	kill   context.CancelFunc
	// old has the servers know no match conditions, as those before Kubernetes 1.27.
	old bool
}

// client connects through it.
func (g *guillotine) client(t testing.TB, e *testenv.Env) *kube.Client {
	t.Helper()
	cfg := rest.CopyConfig(e.REST)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return blade{g, next} })
	c, err := kube.New(cfg, kube.Options{QPS: -1, UserAgent: "move-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

type blade struct {
	g    *guillotine
	next http.RoundTripper
}

// RoundTrip passes on what may pass.
func (b blade) RoundTrip(r *http.Request) (*http.Response, error) {
	falls, dead := b.g.next()
	if dead || falls && !b.g.after {
		b.g.fall()
		return nil, errKilled
	}
	if b.g.old {
		if err := stripRequest(r); err != nil {
			return nil, err
		}
	}
	resp, err := b.next.RoundTrip(r)
	if falls {
		if err == nil {
			_ = resp.Body.Close()
		}
		b.g.fall()
		return nil, errKilled
	}
	return resp, err
}

// stripRequest takes out of a webhook configuration on its way to the server what an old server would drop.
func stripRequest(r *http.Request) error {
	if r.Body == nil || !strings.Contains(r.URL.Path, "webhookconfigurations") {
		return nil
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var cfg unstructured.Unstructured
	if err := json.Unmarshal(data, &cfg.Object); err == nil {
		for _, hook := range hooksOf(&cfg) {
			delete(hook, "matchConditions")
		}
		if data, err = json.Marshal(cfg.Object); err != nil {
			return err
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return nil
}

// WrappedRoundTripper lets client-go find the transport to close its idle connections.
func (b blade) WrappedRoundTripper() http.RoundTripper { return b.next }

func (g *guillotine) next() (falls, dead bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	return g.count == g.at, g.fallen
}

func (g *guillotine) fall() {
	g.mu.Lock()
	g.fallen = true
	g.mu.Unlock()
	if g.kill != nil {
		g.kill()
	}
}
