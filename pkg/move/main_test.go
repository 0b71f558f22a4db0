// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/test/graph"
	"github.com/clusterctl/clusterctl/test/testenv"
)

// left and right are two control planes between which tests move.
var left, right *testenv.Env

func TestMain(m *testing.M) {
	flag.Parse()
	kube.SetLogger(nil)
	code := testenv.MainPair(m, func(a, b *testenv.Env) { left, right = a, b })
	if err := goleak.Find(goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1")); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// connect makes a client without a limit of its own.
func connect(t testing.TB, e *testenv.Env) *kube.Client {
	t.Helper()
	c, err := kube.New(e.REST, kube.Options{QPS: -1, UserAgent: "move-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// withKinds seeds the CRDs of the graphs on both sides.
func withKinds(t testing.TB, version string) {
	t.Helper()
	for _, e := range []*testenv.Env{left, right} {
		e.Seed(t, graph.CRDs(version))
	}
}

// within is a context for one test's requests.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// telling is a sink that writes into the test's log.
func telling(t testing.TB) event.Sink {
	t.Helper()
	return event.Func(func(e event.Event) {
		if e.Kind != event.Progress {
			t.Logf("%s %s %s", e.Kind, e.Step, e.Message)
		}
	})
}
