// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

// Options tune Build. The zero value is good.
type Options struct {
	// Concurrency is how many lists are read at once; default 8.
	Concurrency int
	// Sink hears warnings; nil is allowed.
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
	if opts.Concurrency == 0 {
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
	return b.finish(ctx)
}

// FromObjects makes the plan of objects that are at hand: out of files, or made up by a test. What isn't among them doesn't exist.
func FromObjects(objs []*unstructured.Unstructured, kinds Kinds, scope Scope) (*Plan, error) {
	if err := checkScope(scope); err != nil {
		return nil, err
	}
	all := Kinds{}
	for _, k := range builtIn() {
		all[k.GroupKind()] = k
	}
	for gk, k := range kinds {
		all[gk] = k
	}
	s, err := newSelection(all, scope)
	if err != nil {
		return nil, err
	}
	var faults fault.List
	for _, u := range objs {
		k, ok := all[u.GroupVersionKind().GroupKind()]
		if !ok {
			faults.Add(fault.Refusedf("%s %s/%s: kind %s isn't known", u.GetKind(), u.GetNamespace(), u.GetName(), u.GroupVersionKind()))
			continue
		}
		k.Version = u.GroupVersionKind().Version
		s.add(k, u, false)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	s.tie()
	s.seed(0)
	s.spread()
	p, err := s.assemble(s.orphans)
	if err != nil {
		return nil, err
	}
	return p, s.found(p, nil)
}

func checkScope(scope Scope) error {
	if !scope.All && len(scope.Namespaces) == 0 && len(scope.Clusters) == 0 {
		return fault.Usagef("nothing is named that could be moved: name clusters, a namespace, or everything")
	}
	return nil
}

func newSelection(kinds Kinds, scope Scope) (*selection, error) {
	s := &selection{graph: newGraph(kinds), scope: scope}
	var faults fault.List
	var err error
	s.include, err = matchers("--include", scope.Include, kinds)
	faults.Add(err)
	s.exclude, err = matchers("--exclude", scope.Exclude, kinds)
	faults.Add(err)
	s.orphans, err = matchers("--allow-orphans", scope.AllowOrphans, kinds)
	faults.Add(err)
	return s, faults.Err()
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

// read lists Cluster API's kinds, Secrets and ConfigMaps, and outlines of all other kinds.
func (b *builder) read(ctx context.Context) error {
	var wanted []listing
	for gk, k := range b.kinds {
		if k.Group == "clusterctl.cluster.x-k8s.io" || k.Group == "operator.cluster.x-k8s.io" {
			continue
		}
		for _, ns := range b.from.where(k) {
			wanted = append(wanted, listing{gk, ns, !k.CAPI() && k.CRD != ""})
		}
	}
	return b.fetch(ctx, wanted)
}

func (b *builder) fetch(ctx context.Context, wanted []listing) error {
	from := len(b.nodes)
	var lists []listed
	err := b.from.read(ctx, wanted, b.kinds, func(l listed) { lists = append(lists, l) })
	if err != nil {
		return err
	}
	for _, l := range lists {
		for _, u := range l.objs {
			if b.from.wants(u) || slices.ContainsFunc(wanted, func(w listing) bool { return w.namespace != "" && w.namespace == u.GetNamespace() }) {
				b.add(l.kind, u, l.outline)
			}
		}
	}
	b.tie()
	b.seed(from)
	b.spread()
	return nil
}

// complete reads what the selection leads to: objects of which only the outline is known, and references into other namespaces.
func (b *builder) complete(ctx context.Context) error {
	for {
		var wanted []listing
		add := func(l listing) {
			if !b.from.done[l] && !slices.Contains(wanted, l) {
				wanted = append(wanted, l)
			}
		}
		for _, n := range b.nodes {
			if n.selected() && n.outline {
				add(listing{n.key.GroupKind, n.key.Namespace, false})
			}
		}
		for key, users := range b.open {
			if slices.ContainsFunc(users, (*node).selected) && !b.listed(key) {
				add(listing{key.GroupKind, key.Namespace, false})
			}
		}
		if len(wanted) == 0 {
			return nil
		}
		if err := b.fetch(ctx, wanted); err != nil {
			return err
		}
		for _, n := range b.nodes { // what was an outline may refer to more
			if n.selected() && !n.outline {
				b.queue = append(b.queue, n)
			}
		}
		b.spread()
	}
}

// listed says whether an object would have been seen if it existed.
func (b *builder) listed(k Key) bool {
	return b.from.done[listing{k.GroupKind, k.Namespace, false}] || b.from.done[listing{k.GroupKind, "", false}] && (b.from.namespaces == nil || k.Namespace == "" || slices.Contains(b.from.namespaces, k.Namespace))
}

// finish makes the plan and looks at what it leaves behind.
func (b *builder) finish(ctx context.Context) (*Plan, error) {
	p, err := b.assemble(b.orphans)
	if err != nil {
		return p, err
	}
	clusters, err := b.allClusters(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range clusters {
		if n := b.byKey[Key{capi.ClusterGK(), c.Namespace, c.Name}]; n == nil || !n.selected() {
			p.Remaining = append(p.Remaining, c)
		}
	}
	if err := b.found(p, clusters); err != nil {
		return nil, err
	}
	return p, b.lost(ctx, p)
}

// allClusters are those of the whole management cluster.
func (b *builder) allClusters(ctx context.Context) ([]types.NamespacedName, error) {
	var out []types.NamespacedName
	if b.from.namespaces == nil {
		for _, n := range b.nodes {
			if n.key.GroupKind == capi.ClusterGK() {
				out = append(out, types.NamespacedName{Namespace: n.key.Namespace, Name: n.key.Name})
			}
		}
		return out, nil
	}
	list, err := b.from.c.List(ctx, b.kinds[capi.ClusterGK()].GroupVersionKind, kube.ListOptions{MetadataOnly: true})
	if err != nil {
		return nil, err
	}
	for _, u := range list {
		out = append(out, types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()})
	}
	return out, nil
}

// found wants every named cluster to be in the plan, and the plan not to be empty. Where it isn't so, it says where clusters are.
func (s *selection) found(p *Plan, clusters []types.NamespacedName) error {
	var faults fault.List
	for _, c := range s.scope.Clusters {
		if n := s.byKey[Key{capi.ClusterGK(), c.Namespace, c.Name}]; n == nil || !n.selected() {
			faults.Add(fault.WithHint(fault.Refusedf("there is no Cluster %s", c), "%s", whereClusters(c.Name, clusters)))
		}
	}
	if len(p.Objects) == 0 && len(faults.Faults) == 0 {
		where := "on the management cluster"
		if !s.scope.All {
			where = "in " + strings.Join(s.scope.Namespaces, ", ")
		}
		faults.Add(fault.WithHint(fault.Refusedf("nothing to move: there is no object of Cluster API %s", where), "%s", whereClusters("", clusters)))
	}
	return faults.Err()
}

func whereClusters(name string, clusters []types.NamespacedName) string {
	var same, all []string
	for _, c := range clusters {
		if c.Name == name {
			same = append(same, c.Namespace)
		}
		all = append(all, c.String())
	}
	const most = 10
	switch {
	case len(same) > 0:
		return "there is one of that name in namespace " + strings.Join(same, ", ")
	case len(all) == 0:
		return "this management cluster has no Cluster at all: is it the right kubeconfig?"
	case len(all) > most:
		return fmt.Sprintf("there are %s and %d more", strings.Join(all[:most], ", "), len(all)-most)
	}
	return "there are " + strings.Join(all, ", ")
}

// KindCount is how many objects of a kind a plan has.
type KindCount struct {
	schema.GroupVersionKind
	// Moved go away from the source, Copied stay there too.
	Moved, Copied int
}

// Summary counts the objects by kind, in the order of the kinds.
func (p *Plan) Summary() []KindCount {
	at := map[schema.GroupVersionKind]int{}
	var out []KindCount
	for _, k := range p.Kinds {
		at[k] = len(out)
		out = append(out, KindCount{GroupVersionKind: k})
	}
	for _, o := range p.Objects {
		c := &out[at[o.GVK()]]
		if o.Mode == Copy {
			c.Copied++
		} else {
			c.Moved++
		}
	}
	return out
}
