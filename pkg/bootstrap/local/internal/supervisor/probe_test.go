// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/pod"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/proc"
	"github.com/clusterctl/clusterctl/pkg/pki"
)

// A container without a readiness probe or webhooks, whose program ends again and again, isn't ready in the moments in which it runs.
func TestContainerWithoutProbes(t *testing.T) {
	ca, err := pki.LoadCA(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	k := &kubelet{supervisor: &supervisor{certs: &certs{ca: ca}}}
	var c command
	if err := k.containerProbes(&c, &corev1.Container{}, &pod.Pod{}, nil); err != nil {
		t.Fatal(err)
	}
	p := &process{name: "ns/manager", table: newTable(layout.Dir(t.TempDir()), proc.Ident{})}
	for failures, steady := range map[int]time.Duration{0: 3 * time.Second, 1: 8 * time.Second, 100: 30 * time.Second} {
		p.state = state{running: true, failures: failures}
		if p.look(t.Context(), c, time.Now().Add(-steady/2)); p.get().ready {
			t.Errorf("after %d failures it is ready %s after its start", failures, steady/2)
		}
		if p.look(t.Context(), c, time.Now().Add(-steady)); !p.get().ready {
			t.Errorf("after %d failures it isn't ready %s after its start", failures, steady)
		}
	}
}

func TestAll(t *testing.T) {
	good, bad := func(context.Context) error { return nil }, func(context.Context) error { return errors.New("bad") }
	if all() != nil {
		t.Error("no probes at all make one that always succeeds")
	}
	if err := all(good, good)(t.Context()); err != nil {
		t.Error(err)
	}
	if err := all(good, bad)(t.Context()); err == nil {
		t.Error("one that fails is passed over")
	}
}
