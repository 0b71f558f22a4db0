// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/move/plan"
)

// preflight finds everything that stands in the way, before the first write.
func (m *mover) preflight(ctx context.Context) error {
	var faults fault.List
	m.stable(&faults)
	m.keepable(&faults)
	served, err := m.served(ctx, &faults)
	if err != nil {
		return err
	}
	for _, check := range []func(context.Context, *fault.List) error{m.rights, m.providers, m.gates} {
		if err := check(ctx, &faults); err != nil {
			return err
		}
	}
	if served { // else the target can't be asked about the objects
		if err := m.taken(ctx, &faults); err != nil {
			return err
		}
		held, err := m.targetStandsStill(ctx)
		if err != nil {
			return err
		}
		if !held { // else its webhooks can't answer before the source's controllers are down
			if err := m.admitted(ctx, &faults); err != nil {
				return err
			}
		}
	}
	if err := faults.Err(); err != nil {
		return fault.WithCode(fault.Refused, err)
	}
	return nil
}

// stable wants nothing to be under way: what is being deleted, or being made, isn't moved in the middle of it.
func (m *mover) stable(faults *fault.List) {
	type cluster struct{ ns, name string }
	var order []cluster
	unready := map[cluster][]string{}
	add := func(ns, name, why string) {
		c := cluster{ns, name}
		if unready[c] == nil {
			order = append(order, c)
		}
		unready[c] = append(unready[c], why)
	}
	for _, o := range m.plan.Objects {
		if o.Deleting {
			faults.Add(fault.WithHint(fault.Refusedf("%s is being deleted%s", o.Key, heldBy(o.Source)), "wait until it is gone, or leave it out with --exclude"))
			continue
		}
		if m.o.AllowProvisioning {
			continue
		}
		switch o.GroupKind {
		case capi.ClusterGK():
			s := capi.ReadCluster(o.Source)
			switch {
			case !s.InfrastructureReady:
				add(s.Namespace, s.Name, "its infrastructure isn't ready")
			case !s.ControlPlaneInitialized:
				add(s.Namespace, s.Name, "its control plane isn't initialized")
			}
		case capi.MachineGK():
			if s := capi.ReadMachine(o.Source); s.NodeName == "" {
				add(s.Namespace, s.ClusterName, fmt.Sprintf("Machine %s has no node", s.Name))
			}
		}
	}
	for _, c := range order {
		err := fault.Refusedf("Cluster %s/%s is still being provisioned: %s", c.ns, c.name, first(unready[c], 3))
		faults.Add(fault.WithHint(err, "wait until it is done, move the other clusters by name, or move it as it is with --allow-provisioning"))
	}
}

func heldBy(u *unstructured.Unstructured) string {
	if f := u.GetFinalizers(); len(f) > 0 {
		return fmt.Sprintf(" (held by %s)", first(f, 3))
	}
	return ""
}

// served wants the target to know every kind of the plan, in the version in which it is stored on the source.
func (m *mover) served(ctx context.Context, faults *fault.List) (bool, error) {
	all := true
	for _, gvk := range m.plan.Kinds {
		versions, err := m.dst.Served(ctx, gvk.GroupKind())
		switch {
		case err != nil:
			return false, fmt.Errorf("target: %w", err)
		case len(versions) == 0:
			all = false
			faults.Add(fault.WithHint(fault.Refusedf("the target doesn't know %s (%s): its provider isn't installed there", gvk.Kind, gvk.Group), "install the same providers there first: clusterctl init"))
		case !slices.Contains(versions, gvk.Version):
			all = false
			err := fault.Refusedf("the target serves %s (%s) in %s, the source stores it in %s", gvk.Kind, gvk.Group, first(versions, 5), gvk.Version)
			faults.Add(fault.WithHint(err, "bring both to versions of the provider that share that API version"))
		}
	}
	return all, nil
}

// rights asks for what the move will need to do.
func (m *mover) rights(ctx context.Context, faults *fault.List) error {
	for _, side := range []struct {
		name   string
		c      *kube.Client
		rights []kube.Right
	}{{"source", m.src, m.sourceRights(ctx)}, {"target", m.dst, m.targetRights(ctx)}} {
		if err := m.lacking(ctx, side.name, side.c, side.rights, faults); err != nil {
			return err
		}
	}
	return nil
}

// lacking finds rights that one side doesn't give.
func (m *mover) lacking(ctx context.Context, side string, c *kube.Client, rights []kube.Right, faults *fault.List) error {
	denied, err := c.Denied(ctx, []kube.Right{{Verb: "*", Group: "*", Resource: "*"}})
	if err == nil && len(denied) > 0 {
		denied, err = c.Denied(ctx, rights)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", side, err)
	}
	for _, r := range denied {
		faults.Add(fault.WithHint(fault.Refusedf("%s: no right to %s", side, r), "ask for that right, or use credentials that have it"))
	}
	return nil
}

func (m *mover) sourceRights(ctx context.Context) []kube.Right {
	out := m.ownRights()
	if m.plan == nil {
		return out
	}
	for _, r := range m.resources(ctx, m.src) {
		out = append(out, r.verbs("list", "get", "patch", "delete")...)
	}
	if m.o.Quiesce == QuiesceScale {
		out = append(out,
			kube.Right{Verb: "patch", Group: "apps", Resource: "deployments"},
			kube.Right{Verb: "update", Group: "admissionregistration.k8s.io", Resource: "validatingwebhookconfigurations"},
			kube.Right{Verb: "update", Group: "admissionregistration.k8s.io", Resource: "mutatingwebhookconfigurations"})
	}
	return out
}

func (m *mover) targetRights(ctx context.Context) []kube.Right {
	out := append(m.ownRights(), kube.Right{Verb: "create", Resource: "namespaces"})
	for _, r := range m.resources(ctx, m.dst) {
		out = append(out, r.verbs("list", "get", "create", "patch", "delete")...)
	}
	return out
}

// ownRights are for the journal and the lease.
func (m *mover) ownRights() []kube.Right {
	var out []kube.Right
	for _, verb := range []string{"get", "create", "patch", "delete"} {
		out = append(out,
			kube.Right{Verb: verb, Resource: "configmaps", Namespace: journalNamespace},
			kube.Right{Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Namespace: journalNamespace})
	}
	return out
}

type resource struct{ group, name, namespace string }

func (r resource) verbs(verbs ...string) []kube.Right {
	var out []kube.Right
	for _, v := range verbs {
		out = append(out, kube.Right{Verb: v, Group: r.group, Resource: r.name, Namespace: r.namespace})
	}
	return out
}

// resources are where the plan's objects are, for rights: kinds that a server doesn't know have none.
func (m *mover) resources(ctx context.Context, c *kube.Client) []resource {
	var out []resource
	for _, l := range m.listings() {
		mapping, err := c.Mapping(ctx, l.gvk.GroupKind(), l.gvk.Version)
		if err == nil {
			out = append(out, resource{l.gvk.Group, mapping.Resource.Resource, l.namespace})
		}
	}
	return out
}

// taken looks for objects of the same names on the target: they are never overwritten.
func (m *mover) taken(ctx context.Context, faults *fault.List) error {
	var names []string
	m.onTarget = map[plan.Key]bool{}
	err := m.eachOnTargetMeta(ctx, func(i int, _ *unstructured.Unstructured) {
		o := m.plan.Objects[i]
		m.onTarget[o.Key] = true
		if o.Mode == plan.Move {
			names = append(names, o.String())
		} else {
			event.Warnf(m.o.Sink, "%s is shared, and on the target already: it stays as it is there", o.Key)
		}
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	for i, name := range names {
		if i == manyFaults {
			faults.Add(fault.Refusedf("and %d more are on the target already", len(names)-i))
			break
		}
		faults.Add(fault.WithHint(fault.Refusedf("%s is on the target already", name), "it is never overwritten: delete it there, or leave it out with --exclude"))
	}
	return nil
}

// targetStandsStill says whether the target's controllers wait to be started by this move.
func (m *mover) targetStandsStill(ctx context.Context) (bool, error) {
	found, err := controllers(ctx, m.dst)
	if err != nil {
		return false, fmt.Errorf("target: %w", err)
	}
	return slices.ContainsFunc(found, standsStill), nil
}

// providers compares what runs on both sides.
func (m *mover) providers(ctx context.Context, faults *fault.List) error {
	there, here, err := m.bothProviders(ctx)
	if err != nil {
		return err
	}
	m.compareProviders(there, here, faults)
	return nil
}

func (m *mover) compareProviders(there, here map[string]string, faults *fault.List) {
	for label, v := range here {
		got, ok := there[label]
		switch {
		case !ok:
			event.Warnf(m.o.Sink, "the source runs the provider %s, the target doesn't: what it does for these clusters nobody does there", label)
		case v != "" && got != "" && older(got, v):
			err := fault.Refusedf("the target's provider %s is %s, older than the source's %s", label, got, v)
			faults.Add(fault.WithHint(err, "upgrade it there first"))
		}
	}
}
