// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// A webhook that isn't up yet refuses the object until it is.
func TestApplyWaitsForWebhook(t *testing.T) {
	t.Parallel()
	hooks := newHooks()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	hooks.StartTLS() // for its certificate
	t.Cleanup(hooks.Close)
	l.Close()
	env.Seed(t, crdYAML("Guarded", ""),
		hookYAML("Validating", "Guarded", fmt.Sprintf("url: %q, caBundle: %q", "https://"+addr+"/validate", hooks.ca()), rules("Guarded", "CREATE")))
	time.Sleep(2 * time.Second) // until the API server calls it
	var refused atomic.Int32
	c := connect(t, env.REST, func(o *kube.Options) {
		o.Sink = event.Func(func(e event.Event) {
			if strings.Contains(e.Message, `failed calling webhook "guarded.hooks.example"`) && refused.Add(1) == 2 {
				forward(t, addr, hooks.Listener.Addr().String())
			}
		})
	})
	objs := parse(t, "apiVersion: test.example/v1\nkind: Guarded\nmetadata: {name: g, namespace: default}\nspec: {size: big}\n")
	r, err := c.Apply(within(t, time.Minute), objs, kube.ApplyOptions{Force: true})
	if err != nil || r.Summary() != "1 created" {
		t.Errorf("%s, %v", r.Summary(), err)
	}
	if refused.Load() < 2 {
		t.Errorf("refused %d times before", refused.Load())
	}
}

// forward makes one address lead to another.
func forward(t *testing.T, from, to string) {
	t.Helper()
	l, err := net.Listen("tcp", from)
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			go pipe(in, out)
			go pipe(out, in)
		}
	}()
}

func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
}

func TestApplyRetries(t *testing.T) {
	t.Parallel()
	const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"%s"}`
	tests := map[string]struct {
		code   int
		reason string
		text   string
		heals  bool
	}{
		"overloaded":          {http.StatusTooManyRequests, "TooManyRequests", "too many requests", true},
		"unavailable":         {http.StatusServiceUnavailable, "ServiceUnavailable", "apiserver not ready", true},
		"own failure":         {http.StatusInternalServerError, "InternalError", "etcdserver: leader changed", true},
		"stale":               {http.StatusConflict, "Conflict", "the object has been modified", true},
		"gateway":             {http.StatusGatewayTimeout, "Timeout", "timeout", true},
		"denied":              {http.StatusForbidden, "Forbidden", `admission webhook \"x\" denied the request: no`, false},
		"other object":        {http.StatusConflict, "Conflict", "Precondition failed: UID in precondition: a, UID in object meta: b", false},
		"too large":           {http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "too large", false},
		"field doesn't exist": {http.StatusInternalServerError, "InternalError", "failed to create typed patch object", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			cfg := rest.CopyConfig(env.REST)
			cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if r.Method == http.MethodPatch && sent.Add(1) <= 2 {
						return answer(r, tc.code, fmt.Sprintf(status, tc.reason, tc.code, tc.text)), nil
					}
					return next.RoundTrip(r)
				})
			})
			objs := parse(t, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: retried-%s, namespace: default}\n", strings.Map(func(r rune) rune {
				return map[bool]rune{true: r, false: '-'}[r >= 'a' && r <= 'z']
			}, name)))
			_, err := connect(t, cfg).Apply(within(t, time.Minute), objs, kube.ApplyOptions{Force: true})
			switch {
			case tc.heals && (err != nil || sent.Load() != 3):
				t.Errorf("%v after %d requests", err, sent.Load())
			case !tc.heals && (err == nil || sent.Load() != 1):
				t.Errorf("%v after %d requests", err, sent.Load())
			}
		})
	}
}
