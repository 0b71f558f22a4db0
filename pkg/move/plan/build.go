// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Options tune Build. The zero value is good.
type Options struct {
	// Concurrency is how many lists are read at once; default 8.
	Concurrency int
	// Sink hears how far the reading is, in step "plan"; nil is allowed. Warnings are in the plan.
	Sink event.Sink
	// KeepsRunning says that the controllers go on running, as for a backup: objects that are stored in an older version are converted
	// as ever, and no reason to refuse.
	KeepsRunning bool
}

// Build makes the plan of a move away from the cluster that c is connected to. It reads by lists only. Errors have class
// fault.Usage where the scope is wrong, and fault.Refused where what it names can't be moved: all such faults come together.
func Build(ctx context.Context, c *kube.Client, scope Scope, opts Options) (*Plan, error) {
	if err := checkScope(scope); err != nil {
		return nil, err
	}
	if opts.Concurrency <= 0 {
		opts.Concurrency = 8
	}
	kinds, err := ReadKinds(ctx, c)
	if err != nil {
		return nil, err
	}
	if opts.KeepsRunning {
		kinds = kinds.Converted()
	}
	if _, ok := kinds[capi.ClusterGK()]; !ok {
		return nil, fault.WithHint(fault.WithCode(fault.Refused, fmt.Errorf("%s: %w", c.Host(), capi.ErrNotInstalled)), "is this the right kubeconfig?")
	}
	s, err := newSelection(kinds, scope)
	if err != nil {
		return nil, err
	}
	b := &builder{selection: s, from: &collector{c: c, opts: opts, namespaces: namespacesOf(scope), done: map[listing]bool{}}}
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	if err := b.complete(ctx); err != nil {
		return nil, err
	}
	return b.conclude(func(p *Plan) error {
		var faults fault.List
		b.stored(&faults)
		faults.Add(b.lost(ctx, p))
		return faults.Err()
	})
}

// namespacesOf are the namespaces that have to be read; nil means all.
func namespacesOf(scope Scope) []string {
	if scope.All {
		return nil
	}
	out := slices.Clone(scope.Namespaces)
	for _, c := range scope.Clusters {
		out = append(out, c.Namespace)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// builder is a selection that reads what it needs.
type builder struct {
	*selection
	from *collector
}

// read lists Cluster API's kinds, Secrets and ConfigMaps, and outlines of all other kinds. Clusters are read everywhere: what they
// share with those that move has to stay, and people want to know where a cluster is if it isn't where they say.
func (b *builder) read(ctx context.Context) error {
	var wanted []listing
	for gk, k := range b.kinds {
		if !k.movable() {
			continue
		}
		if gk == capi.ClusterGK() {
			wanted = append(wanted, listing{gk: gk})
			continue
		}
		for _, ns := range b.from.where(k) {
			wanted = append(wanted, listing{gk, ns, !k.CAPI() && k.CRD != "" && !k.labelled()})
		}
	}
	for _, m := range b.include {
		for gk := range m.kinds {
			if k := b.kinds[gk]; m.namespace != "" && k.Namespaced && !b.listed(Key{gk, m.namespace, m.name}) && !b.around(m.namespace) {
				wanted = append(wanted, listing{gk: gk, namespace: m.namespace})
			}
		}
	}
	if err := b.fetch(ctx, wanted, false); err != nil {
		return err
	}
	return b.homes(ctx)
}

// fetch reads lists, in an order of its own, and takes what belongs to the move. Where they must be read, it is because something of
// them is known to belong to it.
func (b *builder) fetch(ctx context.Context, wanted []listing, must bool) error {
	slices.SortFunc(wanted, compareListings)
	lists, err := b.from.read(ctx, slices.Compact(wanted), b.kinds)
	if err != nil {
		return err
	}
	var instead []listing
	for _, l := range lists {
		switch {
		case l.err == nil:
		case must:
			return l.err
		case l.gk == capi.ClusterGK():
			b.warnf("Clusters of other namespaces can't be looked at (%v): whether they use what is moved isn't known", l.err)
			for _, ns := range b.from.namespaces {
				instead = append(instead, listing{gk: l.gk, namespace: ns})
			}
			continue
		default:
			b.unread[l.gk] = l.err
			b.warnf("can't look for objects of kind %s that belong to what is moved: %v", l.gk, l.err)
			continue
		}
		for _, u := range l.objs {
			if l.namespace != "" || l.gk == capi.ClusterGK() || b.from.wants(u) {
				b.add(b.kinds[l.gk], u, l.outline)
			}
		}
	}
	if len(instead) > 0 {
		return b.fetch(ctx, instead, true)
	}
	b.grow()
	return nil
}

func compareListings(a, b listing) int {
	return cmp.Or(order(Key{a.gk, a.namespace, ""}, Key{b.gk, b.namespace, ""}), cmp.Compare(fmt.Sprint(a.outline), fmt.Sprint(b.outline)))
}

// complete reads what the selection leads to, until there is nothing more: objects of which only the outline is known, and owners and
// references in namespaces that weren't read.
func (b *builder) complete(ctx context.Context) error {
	for {
		wanted := map[listing]bool{}
		var outlines []*node
		for _, n := range b.nodes {
			if n.outline && !n.gone && (n.selected() || n.labelled() && b.around(n.key.Namespace)) {
				outlines = append(outlines, n)
				wanted[b.from.listingOf(n)] = true
			}
		}
		for key, wishes := range b.open {
			if slices.ContainsFunc(wishes, func(w wish) bool { return w.of.selected() }) && b.kinds[key.GroupKind].movable() && !b.listed(key) {
				if k, known := b.kinds[key.GroupKind]; known && (key.Namespace != "" || !k.Namespaced) {
					wanted[listing{gk: key.GroupKind, namespace: key.Namespace}] = true
				}
			}
		}
		if len(wanted) == 0 {
			return nil
		}
		var list []listing
		for l := range wanted {
			list = append(list, l)
		}
		if err := b.fetch(ctx, list, true); err != nil {
			return err
		}
		for _, n := range outlines {
			if n.outline { // deleted in between
				n.why, n.gone = "", true
			}
		}
	}
}

// listed says whether an object would have been seen if it existed.
func (b *builder) listed(k Key) bool {
	for _, outline := range []bool{false, true} {
		if b.from.done[listing{k.GroupKind, k.Namespace, outline}] {
			return true
		}
		if b.from.done[listing{k.GroupKind, "", outline}] && (k.Namespace == "" || b.from.wantsNamespace(k.Namespace)) {
			return true
		}
	}
	return false
}

// stored refuses kinds of which objects may still be stored in another version than the one they are read in: somebody has to convert
// them then, and while the controllers stand still nobody does.
func (b *builder) stored(faults *fault.List) {
	seen := map[string]bool{}
	for _, n := range b.nodes {
		k := n.kind
		if !n.selected() || len(k.Stored) == 0 || seen[k.CRD] {
			continue
		}
		seen[k.CRD] = true
		err := fault.Refusedf("objects of %s may still be stored as %s: they have to be migrated to %s first, because nobody converts them while the controllers stand still",
			k.CRD, strings.Join(k.Stored, ", "), k.Version)
		faults.Add(fault.WithHint(err, "Cluster API's controllers migrate them by themselves from v1.11 on; else write each object once, then set status.storedVersions of the CRD to [%s]", k.Version))
	}
}
