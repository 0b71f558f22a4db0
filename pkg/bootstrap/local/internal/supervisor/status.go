// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fieldManager marks what the supervisor writes.
const fieldManager = "clusterctl-local-bootstrap"

// publishTimeout bounds a write of status, also at the end.
const publishTimeout = 5 * time.Second

// publish writes the Deployment's status if it isn't that already.
func (w *podWorker) publish(ctx context.Context, d *appsv1.Deployment, running *instance) error {
	want := deploymentStatus(d, running.summary())
	if equality.Semantic.DeepEqual(d.Status, want) {
		return nil
	}
	// A merge patch: there is no other writer, and a list is replaced as a whole.
	status, err := json.Marshal(want)
	if err != nil {
		return err
	}
	var fields map[string]any
	if err := json.Unmarshal(status, &fields); err != nil {
		return err
	}
	for _, name := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"} {
		if _, ok := fields[name]; !ok {
			fields[name] = nil // Zero isn't written; what was there before must go.
		}
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": d.UID}, "status": fields})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	written, err := w.k.client.PatchStatus(ctx, d.Namespace, d.Name, fieldManager, patch)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // Deleted, or deleted and made again: the watch says so.
	}
	if err != nil {
		return err
	}
	w.mu.Lock()
	if w.latest == d { // Else a newer one waits already.
		d = d.DeepCopy()
		d.Status = written.Status
		w.latest = d
	}
	w.mu.Unlock()
	return nil
}

// summary is what an instance's containers are together.
type summary struct {
	running, ready bool
	message        string
}

// summary of no instance: nothing runs.
func (i *instance) summary() summary {
	if i == nil {
		return summary{}
	}
	s := summary{running: true, ready: true}
	var why []string
	for _, p := range i.processes {
		st := p.get()
		s.ready = s.ready && st.ready
		if st.message != "" {
			why = append(why, st.message)
		}
	}
	s.message = strings.Join(why, "; ")
	return s
}

// deploymentStatus is what a Deployment controller would say. One process stands for all replicas.
func deploymentStatus(d *appsv1.Deployment, s summary) appsv1.DeploymentStatus {
	st := appsv1.DeploymentStatus{ObservedGeneration: d.Generation}
	n := replicas(d)
	if s.running {
		st.Replicas, st.UpdatedReplicas, st.UnavailableReplicas = n, n, n
	}
	if s.ready {
		st.ReadyReplicas, st.AvailableReplicas, st.UnavailableReplicas = n, n, 0
	}
	available := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable", Message: "its process is ready",
	}
	progressing := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable", Message: "its process is ready",
	}
	switch {
	case n == 0:
		available.Message, progressing.Message = "no replicas are wanted, no process runs", "no replicas are wanted, no process runs"
	case !s.ready:
		message := s.message
		if message == "" {
			message = "its process is being started"
		}
		available.Status, available.Reason, available.Message = corev1.ConditionFalse, "MinimumReplicasUnavailable", message
		progressing.Reason, progressing.Message = "ReplicaSetUpdated", message
	case n > 1:
		available.Message = fmt.Sprintf("one process stands for %d replicas and is ready", n)
	}
	st.Conditions = []appsv1.DeploymentCondition{since(d, available), since(d, progressing)}
	return st
}

// since fills in the times: a condition that didn't change keeps its own.
func since(d *appsv1.Deployment, c appsv1.DeploymentCondition) appsv1.DeploymentCondition {
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	c.LastTransitionTime, c.LastUpdateTime = now, now
	i := slices.IndexFunc(d.Status.Conditions, func(o appsv1.DeploymentCondition) bool { return o.Type == c.Type })
	if i < 0 {
		return c
	}
	old := d.Status.Conditions[i]
	if old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	if old.Status == c.Status && old.Reason == c.Reason && old.Message == c.Message {
		c.LastUpdateTime = old.LastUpdateTime
	}
	return c
}
