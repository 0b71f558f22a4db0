// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/clusterctl/clusterctl/test/graph"
)

// TestExceptionsThatDontLast has a program on the source that writes whole webhook configurations without what it doesn't know, as
// cert-manager's CA injector up to 1.11 does. The move passes all the same, and so does the way back of one that was killed with the
// controllers down.
func TestExceptionsThatDontLast(t *testing.T) {
	withKinds(t, graph.Version)
	ctx := within(t, 3*time.Minute)
	s := newStage(t, ctx, "stripped")
	s.old = true // its webhook has a server that runs as long as the controller
	s.arm(t)
	s.old = false
	s.inject(t)

	scaled := s.options(t, &guillotine{}, "killed")
	runCtx, kill := context.WithCancel(ctx)
	scaled.Sink = whenStarts("copy", kill)
	if _, err := Run(runCtx, scaled); err == nil {
		t.Fatal("it wasn't killed")
	}
	kill()
	if _, err := Rollback(ctx, s.options(t, &guillotine{}, "back")); err != nil {
		t.Fatal(err)
	}
	s.stayed(t, "rolled back")

	s.old = true
	s.arm(t)
	s.old = false
	if _, err := Run(ctx, s.options(t, &guillotine{}, "moved")); err != nil {
		t.Fatal(err)
	}
	s.arrived(t, "moved")
}

// inject plays the old injector: a CA into every webhook, and nothing left that isn't in its own types.
func (s *stage) inject(t *testing.T) {
	t.Helper()
	c, err := dynamic.NewForConfig(s.at.REST)
	if err != nil {
		t.Fatal(err)
	}
	configs := c.Resource(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"})
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if cfg, err := configs.Get(ctx, "pond", metav1.GetOptions{}); err == nil {
				for _, hook := range hooksOf(cfg) {
					delete(hook, "matchConditions")
					hook["timeoutSeconds"] = int64(2) // what it is there for
				}
				_, _ = configs.Update(ctx, cfg, metav1.UpdateOptions{FieldManager: "cainjector"})
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	t.Cleanup(func() { stop(); wg.Wait() })
}
