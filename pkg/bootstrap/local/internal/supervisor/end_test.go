// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLastWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"nothing":          {nil, ""},
		"the last":         {[]string{"one", "two"}, "two"},
		"the complaint":    {[]string{"Error: no such thing", "Usage:", "  --flag"}, "Error: no such thing"},
		"klog":             {[]string{"I1201 05:00:00.0 1 x.go:1] fine", `E1201 05:00:00.0 1 x.go:1] "broke"`, "I1201 05:00:00.0 1 x.go:1] bye"}, `E1201 05:00:00.0 1 x.go:1] "broke"`},
		"etcd":             {[]string{`{"level":"fatal","msg":"discovery failed","error":"no space left"}`}, "discovery failed: no space left"},
		"etcd, no error":   {[]string{`{"level":"info","msg":"closed"}`}, "closed"},
		"JSON of others":   {[]string{`{"other":1}`}, `{"other":1}`},
		"a very long line": {[]string{strings.Repeat("x", 500)}, strings.Repeat("x", 400) + "…"},
	} {
		if got := lastWords(tt.lines); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestLiveness(t *testing.T) {
	t.Parallel()
	var answer error
	l := liveness{probe: func(context.Context) error { return answer }}
	look := func() bool {
		l.next = time.Time{}
		return l.lost(t.Context())
	}
	for i, tt := range []struct {
		answer error
		lost   bool
	}{{nil, false}, {errors.New("x"), false}, {errors.New("x"), false}, {nil, false}, {errors.New("x"), false}, {errors.New("x"), false}, {errors.New("x"), true}} {
		answer = tt.answer
		if got := look(); got != tt.lost {
			t.Errorf("look %d: %v", i, got)
		}
	}
	if l.next = time.Now().Add(time.Hour); l.lost(t.Context()) {
		t.Error("it looks too often")
	}
}

func TestDeploymentStatus(t *testing.T) {
	t.Parallel()
	n := func(n int32) *int32 { return &n }
	old := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	for _, tt := range []struct {
		name                          string
		replicas                      *int32
		summary                       summary
		replicasNow, ready, not       int32
		available                     corev1.ConditionStatus
		message                       string
		keepsTransition, keepsUpdated bool
	}{
		{"ready", nil, summary{running: true, ready: true}, 1, 1, 0, corev1.ConditionTrue, "its process is ready", true, true},
		{"not ready", nil, summary{running: true, message: "why"}, 1, 0, 1, corev1.ConditionFalse, "why", false, false},
		{"starting", n(1), summary{}, 0, 0, 0, corev1.ConditionFalse, "its process is being started", false, false},
		{"scaled to zero", n(0), summary{}, 0, 0, 0, corev1.ConditionTrue, "no replicas are wanted, no process runs", true, false},
		{"several", n(3), summary{running: true, ready: true}, 3, 3, 0, corev1.ConditionTrue, "one process stands for 3 replicas and is ready", true, false},
	} {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 7}, Spec: appsv1.DeploymentSpec{Replicas: tt.replicas}}
		d.Status.Conditions = []appsv1.DeploymentCondition{{
			Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable", Message: "its process is ready",
			LastTransitionTime: old, LastUpdateTime: old,
		}}
		st := deploymentStatus(d, tt.summary)
		if st.ObservedGeneration != 7 || st.Replicas != tt.replicasNow || st.UpdatedReplicas != tt.replicasNow || st.ReadyReplicas != tt.ready ||
			st.AvailableReplicas != tt.ready || st.UnavailableReplicas != tt.not {
			t.Errorf("%s: %+v", tt.name, st)
		}
		c := st.Conditions[0]
		if c.Status != tt.available || c.Message != tt.message || c.LastTransitionTime.Equal(&old) != tt.keepsTransition || c.LastUpdateTime.Equal(&old) != tt.keepsUpdated {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}
