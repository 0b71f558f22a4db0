// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// maxMachines is how many Machines are looked into: a hundred Machines that wait for the same need not all be read.
const maxMachines = 3

// walk goes from a Cluster to the objects below it and collects what blocks, the deepest cause first.
type walk struct {
	c       *kube.Client
	cluster *unstructured.Unstructured
	state   capi.ClusterState
	found   []finding
	// machines are the Cluster's Machines, listed when first needed.
	machines []*unstructured.Unstructured
	listed   bool
}

// finding is a blocker with the object it is about, nil if that doesn't exist.
type finding struct {
	Blocker
	object *unstructured.Unstructured
}

func (w *walk) add(b *Blocker, u *unstructured.Unstructured) {
	if b != nil {
		w.found = append(w.found, finding{Blocker: *b, object: u})
	}
}

// provisioning follows the order in which a cluster comes up: the first part that isn't there is what the others wait for.
func (w *walk) provisioning(ctx context.Context) error {
	var err error
	switch {
	case w.state.Paused, w.state.Failed():
		w.add(problemOf(w.cluster), w.cluster)
	case !w.state.ControlPlaneInitialized && w.topologyFails():
		err = w.topology(ctx)
	case !w.state.InfrastructureReady:
		if err = w.infrastructure(ctx); err == nil && len(w.found) == 0 {
			err = w.controlPlane(ctx)
		}
	case !w.state.ControlPlaneInitialized:
		err = w.controlPlane(ctx)
	default:
		err = errors.Join(w.controlPlane(ctx), w.workers(ctx))
	}
	if len(w.found) == 0 {
		w.add(problemOf(w.cluster), w.cluster)
	}
	return errors.Join(err, w.remediation(ctx))
}

// remediation takes back that a Machine's failure is the end where a MachineHealthCheck may replace the Machine.
func (w *walk) remediation(ctx context.Context) error {
	parts := map[string]bool{capi.KindCluster: true}
	for _, ref := range []*capi.Ref{w.state.InfrastructureRef, w.state.ControlPlaneRef} {
		if ref != nil {
			parts[ref.Kind] = true
		}
	}
	for i := range w.found {
		f := &w.found[i]
		if !f.Terminal || parts[f.Kind] {
			continue
		}
		checks, err := listOf(ctx, w.c, capi.MachineHealthCheckGK(), w.state)
		if err != nil {
			return err
		}
		f.Terminal = len(checks) == 0
	}
	return nil
}

func (w *walk) infrastructure(ctx context.Context) error {
	if w.state.InfrastructureRef == nil {
		return w.topology(ctx)
	}
	u, err := w.get(ctx, *w.state.InfrastructureRef)
	if u != nil {
		w.add(problemOf(u), u)
	}
	return err
}

// topologyFails says that the class doesn't make all of the cluster, so that what isn't there yet doesn't come.
func (w *walk) topologyFails() bool {
	c := w.state.Condition(capi.ConditionTopologyReconciled)
	return w.state.ClassName != "" && c != nil && c.Status == "False"
}

// topology is for a Cluster that has a class but not yet, or not all of, what the class makes.
func (w *walk) topology(ctx context.Context) error {
	if w.state.ClassName == "" {
		return nil
	}
	gk := capi.ClusterClassGK()
	class, err := w.get(ctx, capi.Ref{Group: gk.Group, Kind: gk.Kind, Namespace: w.state.ClassNamespace, Name: w.state.ClassName})
	if class == nil {
		return err
	}
	if c := w.state.Condition(capi.ConditionTopologyReconciled); c != nil && c.Blocks() {
		b := about(w.cluster).byCondition(*c)
		w.add(&b, w.cluster)
	}
	w.add(problemOf(class), class)
	return err
}

func (w *walk) controlPlane(ctx context.Context) error {
	var own *unstructured.Unstructured
	if ref := w.state.ControlPlaneRef; ref != nil {
		var err error
		if own, err = w.get(ctx, *ref); own == nil || err != nil {
			return err
		}
	} else if err := w.topology(ctx); err != nil {
		return err
	}
	err := w.eachMachine(ctx, true)
	if own != nil {
		w.add(problemOf(own), own)
	}
	return err
}

// workers looks at the Machines first and at what should make them afterwards.
func (w *walk) workers(ctx context.Context) error {
	if err := w.eachMachine(ctx, false); err != nil {
		return err
	}
	for _, gk := range []schema.GroupKind{capi.MachineSetGK(), capi.MachineDeploymentGK(), capi.MachinePoolGK()} {
		groups, err := listOf(ctx, w.c, gk, w.state)
		if err != nil {
			return err
		}
		for _, u := range groups {
			if g := capi.ReadGroup(u); g.Replicas.Ready < g.Replicas.Desired || g.Paused {
				w.add(problemOf(u), u)
			}
		}
	}
	return nil
}

// eachMachine looks into the Machines that aren't ready, of the control plane or of the workers.
func (w *walk) eachMachine(ctx context.Context, controlPlane bool) error {
	if !w.listed {
		var err error
		if w.machines, err = listOf(ctx, w.c, capi.MachineGK(), w.state); err != nil {
			return err
		}
		w.listed = true
	}
	seen := 0
	for _, u := range w.machines {
		m := capi.ReadMachine(u)
		if m.ControlPlane != controlPlane || m.Ready {
			continue
		}
		if seen++; seen > maxMachines {
			break
		}
		if err := w.machine(ctx, u, m); err != nil {
			return err
		}
	}
	return nil
}

// machine finds out which of its parts a Machine waits for.
func (w *walk) machine(ctx context.Context, u *unstructured.Unstructured, m capi.MachineState) error {
	var part *capi.Ref
	switch {
	case m.Failed, m.Paused, m.Deleting:
	case !m.BootstrapReady:
		part = m.BootstrapRef
	case !m.InfrastructureReady:
		part = m.InfrastructureRef
	}
	if part != nil {
		before := len(w.found)
		child, err := w.get(ctx, *part)
		if child != nil {
			w.add(problemOf(child), child)
		}
		if err != nil || len(w.found) > before {
			return err
		}
	}
	if b := problemOf(u); b != nil {
		w.add(b, u)
		return nil
	}
	b := about(u)
	b.Message = fmt.Sprintf("it is %s and has no Node yet", orWord(m.Phase, "waiting"))
	w.add(&b, u)
	return nil
}

// get reads a referenced object. One that can't be read because it or its kind isn't there is a finding, not an error.
func (w *walk) get(ctx context.Context, ref capi.Ref) (*unstructured.Unstructured, error) {
	u, err := getRef(ctx, w.c, ref)
	b := Blocker{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	switch {
	case isNoKind(err):
		b.Message = fmt.Sprintf("the API server doesn't know the kind %s", ref.GroupKind())
		b.Hint = "install the provider that it belongs to"
	case isNotFound(err):
		b.Message = "it does not exist"
		if ref.GroupKind() == capi.ClusterClassGK() {
			b.Hint = "apply that ClusterClass"
		}
	default:
		return u, err
	}
	w.add(&b, nil)
	return nil, nil
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}
