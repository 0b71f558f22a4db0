// SPDX-License-Identifier: Apache-2.0

package move

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// trouble answers some requests itself, as servers do that are not well: before or after carrying them out.
type trouble struct {
	mu   sync.Mutex
	rand *rand.Rand
	next http.RoundTripper
}

// RoundTrip lets most requests through.
func (x *trouble) RoundTrip(r *http.Request) (*http.Response, error) {
	x.mu.Lock()
	what := x.rand.IntN(40)
	x.mu.Unlock()
	switch what {
	case 0:
		return answer(r, http.StatusTooManyRequests, "TooManyRequests"), nil
	case 1:
		return answer(r, http.StatusInternalServerError, "InternalError"), nil
	case 2: // carried out, but nobody hears of it
		if resp, err := x.next.RoundTrip(r); err == nil {
			_ = resp.Body.Close()
		}
		return nil, io.ErrUnexpectedEOF
	case 3:
		if resp, err := x.next.RoundTrip(r); err == nil {
			_ = resp.Body.Close()
		}
		return answer(r, http.StatusGatewayTimeout, "Timeout"), nil
	}
	return x.next.RoundTrip(r)
}

// WrappedRoundTripper lets client-go find the transport to close its idle connections.
func (x *trouble) WrappedRoundTripper() http.RoundTripper { return x.next }

func answer(r *http.Request, code int, reason string) *http.Response {
	body := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"trouble","reason":%q,"code":%d}`, reason, code)
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader([]byte(body))),
	}
}

func troubled(t *testing.T, e *testenv.Env, seed uint64) *kube.Client {
	t.Helper()
	cfg := rest.CopyConfig(e.REST)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &trouble{rand: rand.New(rand.NewPCG(seed, 2)), next: next}
	})
	c, err := kube.New(cfg, kube.Options{QPS: -1, UserAgent: "move-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestServersInTrouble moves while a tenth of all requests goes wrong: refused for now, failed, or carried out without an answer.
func TestServersInTrouble(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 5*time.Minute)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := newStage(t, ctx, "trouble")
	for i := range uint64(2) {
		s.arm(t)
		o := s.options(t, &guillotine{}, "trouble")
		o.Source, o.Target = troubled(t, s.at, seed+i), troubled(t, s.other, seed+i+7)
		_, err := Run(ctx, o)
		for tries := 0; err != nil && tries < 5; tries++ {
			t.Logf("again after: %v", err)
			_, err = Run(ctx, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.arrived(t, "in trouble")
	}
}

// TestServersRestart kills the API servers of both sides in the middle of moves, and starts them again: the move waits for them.
func TestServersRestart(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 5*time.Minute)
	s := newStage(t, ctx, "restart")
	for _, side := range []string{"target while copying", "source while releasing"} {
		s.arm(t)
		e, phase := s.other, "copy"
		if strings.HasPrefix(side, "source") {
			e, phase = s.at, "release"
		}
		done := make(chan struct{})
		o := s.options(t, &guillotine{}, side)
		o.Sink = whenStarts(phase, func() {
			go func() {
				defer close(done)
				e.Kill(t)
				time.Sleep(500 * time.Millisecond)
				e.Restart(t)
			}()
		})
		_, err := Run(ctx, o)
		<-done
		if err != nil {
			t.Fatalf("%s: %v", side, err)
		}
		s.arrived(t, side)
	}
}

// TestFullEtcd moves while a side's etcd runs out of space: refused before anything is changed, or left where it is and finished by
// the same command once there is space. Where there soon is, the move goes on by itself.
func TestFullEtcd(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 10*time.Minute)
	s := newStage(t, ctx, "full")
	for _, c := range []struct {
		name  string
		full  func() *testenv.Env
		phase string
		mends bool
	}{
		{"target, before the move", func() *testenv.Env { return s.other }, "plan", false},
		{"source, while it is quiesced", func() *testenv.Env { return s.at }, "quiesce", false},
		{"target, while objects are copied", func() *testenv.Env { return s.other }, "copy", false},
		{"target, for a moment", func() *testenv.Env { return s.other }, "copy", true},
		{"source, while objects are released", func() *testenv.Env { return s.at }, "release", false},
	} {
		s.arm(t)
		e := c.full()
		full := func(full bool) {
			if err := e.Full(ctx, full); err != nil {
				t.Error(err)
			}
		}
		o := s.options(t, &guillotine{}, c.name)
		mended := make(chan struct{})
		o.Sink = whenStarts(c.phase, func() {
			full(true)
			if c.mends {
				time.AfterFunc(time.Second, func() { full(false); close(mended) })
			}
		})
		short, cancel := context.WithTimeout(ctx, 15*time.Second) // a person would wait for minutes
		_, err := Run(short, o)
		cancel()
		if c.mends {
			<-mended
		}
		if c.mends != (err == nil) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "space exceeded") {
				t.Errorf("%s: the error doesn't say why: %v", c.name, err)
			}
			t.Logf("%s: %v", c.name, err)
			full(false)
			o.Sink = nil
			if _, err = Run(ctx, o); err != nil {
				t.Fatalf("%s: again: %v", c.name, err)
			}
		}
		s.arrived(t, c.name)
	}
}

// whenStarts is a sink that does something once, when a step starts.
func whenStarts(step string, do func()) event.Sink {
	var once sync.Once
	return event.Func(func(e event.Event) {
		if e.Kind == event.Start && e.Step == step {
			once.Do(do)
		}
	})
}
