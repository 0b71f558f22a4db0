// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/provider/webhookcert"
)

// plan is what an installation will do. Making one writes nothing.
type plan struct {
	comps []*Components
	// main is applied first, guarded when the webhooks answer, inventory in between.
	main, guarded, inventory []*unstructured.Unstructured
	// webhooks are the webhook configurations, reduced to what these components serve; unserved names the rest.
	webhooks []*unstructured.Unstructured
	unserved []string
	// owner is the label of the provider that an object came with.
	owner map[objectKey]string
	// certs says where webhook certificates come from, and why; empty where there was no choice.
	certs string
	// certManager is what has to be installed before, nil for nothing; usesCertManager says whether there are any objects for it.
	certManager     []*unstructured.Unstructured
	usesCertManager bool
}

type objectKey struct {
	kind            schema.GroupKind
	namespace, name string
}

func keyOf(o *unstructured.Unstructured) objectKey {
	return objectKey{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

func (p *plan) names() string {
	out := make([]string, len(p.comps))
	for i, c := range p.comps {
		out[i] = c.Label() + " " + c.Version
	}
	return strings.Join(out, ", ")
}

// place tells where an object was read, for errors.
func (p *plan) place(o *unstructured.Unstructured) string {
	key := keyOf(o)
	for _, c := range p.comps {
		if c.Label() == p.owner[key] {
			return c.origin(key)
		}
	}
	return ""
}

func (i *installer) makePlan(ctx context.Context, comps []*Components) (*plan, error) {
	p := &plan{comps: slices.Clone(comps), owner: map[objectKey]string{}}
	slices.SortStableFunc(p.comps, func(a, b *Components) int {
		return cmp.Or(cmp.Compare(a.Entry.Type.Order(), b.Entry.Type.Order()), cmp.Compare(a.Entry.Name, b.Entry.Name))
	})
	var faults fault.List
	faults.Add(p.checkOnce())
	objs, err := p.union(i.opts.Prepare)
	faults.Add(err)
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Refused, err)
	}
	installed, err := Installed(ctx, i.kube)
	if err != nil {
		return nil, err
	}
	faults.Add(checkInstalled(p.comps, installed))
	faults.Add(i.checkContracts(ctx, p.comps, installed))
	if err := faults.Err(); err != nil {
		return nil, err
	}
	for _, cert := range webhookcert.Certificates(objs) { // Its Secret may take its place.
		secret := objectKey{schema.GroupKind{Kind: "Secret"}, cert.Secret.Namespace, cert.Secret.Name}
		p.owner[secret] = p.owner[objectKey{schema.GroupKind{Group: certManagerGroup, Kind: "Certificate"}, cert.Key.Namespace, cert.Key.Name}]
	}
	if objs, p.certs, err = ResolveWebhookCerts(ctx, i.kube, objs, i.opts.WebhookCerts); err != nil {
		return nil, err
	}
	p.webhooks, p.unserved = servedWebhooks(objs)
	p.main, p.guarded = splitGuarded(objs, p.webhooks)
	if err := i.planInventory(ctx, p); err != nil {
		return nil, err
	}
	p.usesCertManager = slices.ContainsFunc(objs, isForCertManager)
	p.certManager, err = i.planCertManager(ctx, objs)
	return p, err
}

// checkOnce refuses the same provider twice.
func (p *plan) checkOnce() error {
	var faults fault.List
	for n, c := range p.comps {
		if n > 0 && p.comps[n-1].Label() == c.Label() {
			faults.Add(fault.Refusedf("provider %s is asked for twice: %s and %s", c.Label(), p.comps[n-1].Version, c.Version))
		}
	}
	return faults.Err()
}

// union prepares the objects of all providers and puts them together. What several providers bring, the same in each,
// belongs to the first; what differs is refused, because the last one would win.
func (p *plan) union(prepare func([]*unstructured.Unstructured) ([]*unstructured.Unstructured, error)) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	seen := map[objectKey]*unstructured.Unstructured{}
	var faults fault.List
	for _, c := range p.comps {
		objs, err := c.prepared(prepare)
		if err != nil {
			faults.Add(err)
			continue
		}
		for _, o := range objs {
			key := keyOf(o)
			first, shared := seen[key]
			if !shared {
				seen[key], p.owner[key] = o, c.Label()
				out = append(out, o)
			} else if !isNamespace(o) && !sameBut(first, o, capi.ProviderLabel) {
				faults.Add(fault.Refusedf("%s %s comes with %s and, different, with %s (%s)", o.GetKind(), o.GetName(), p.owner[key], c.Label(), c.origin(key)))
			}
		}
	}
	return out, faults.Err()
}

func (c *Components) prepared(prepare func([]*unstructured.Unstructured) ([]*unstructured.Unstructured, error)) ([]*unstructured.Unstructured, error) {
	objs := make([]*unstructured.Unstructured, len(c.Objects))
	for i, o := range c.Objects {
		objs[i] = o.DeepCopy()
		dropInjectedCA(objs[i])
	}
	if prepare == nil {
		return objs, nil
	}
	objs, err := prepare(objs)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", c.Label(), err)
	}
	return objs, nil
}

func (c *Components) origin(key objectKey) string {
	for _, o := range c.Objects {
		if keyOf(o.Unstructured) == key {
			return o.Origin.String()
		}
	}
	return c.Raw.Name
}

// sameBut compares two objects without one label.
func sameBut(a, b *unstructured.Unstructured, label string) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	for _, o := range []*unstructured.Unstructured{a, b} {
		unstructured.RemoveNestedField(o.Object, "metadata", "labels", label)
	}
	return reflect.DeepEqual(a.Object, b.Object)
}

// dropInjectedCA takes placeholders of the CA off an object that cert-manager injects the CA into: applied again, they
// would take the place of the real one.
func dropInjectedCA(o *unstructured.Unstructured) {
	injected := false
	for name := range o.GetAnnotations() {
		injected = injected || strings.HasPrefix(name, "cert-manager.io/inject-ca-from")
	}
	if !injected {
		return
	}
	unstructured.RemoveNestedField(o.Object, "spec", "conversion", "webhook", "clientConfig", "caBundle")
	hooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
	for _, h := range hooks {
		if m, ok := h.(map[string]any); ok {
			unstructured.RemoveNestedField(m, "clientConfig", "caBundle")
		}
	}
	if len(hooks) > 0 {
		_ = unstructured.SetNestedSlice(o.Object, hooks, "webhooks")
	}
}

// checkInstalled refuses to put another version, or the same one elsewhere, next to what is installed.
func checkInstalled(comps []*Components, installed []InstalledProvider) error {
	var faults fault.List
	for _, c := range comps {
		for _, p := range installed {
			if p.Type != c.Entry.Type || p.Name != c.Entry.Name {
				continue
			}
			switch {
			case p.Namespace != c.TargetNamespace:
				faults.Add(fault.WithHint(fault.Refusedf("%s is installed in namespace %s; a second one in %s would work on the same objects", p.Label(), p.Namespace, c.TargetNamespace),
					"leave the target namespace as it is, or name %s", p.Namespace))
			case p.Version != "" && p.Version != c.Version && !p.runs(c.Images):
				faults.Add(fault.WithHint(fault.Refusedf("%s %s is installed, and %s is asked for", p.Label(), p.Version, c.Version),
					"ask for --%s %s:%s, or change the version with: clusterctl upgrade apply --%s %s:%s",
					c.Entry.Type.Flag(), p.Name, p.Version, c.Entry.Type.Flag(), p.Name, c.Version))
			}
		}
	}
	return faults.Err()
}

// runs says that a provider without an inventory entry, whose version was read off its images, runs exactly these images.
func (p InstalledProvider) runs(images []string) bool {
	if p.Source == sourceInventory || len(p.images) == 0 {
		return false
	}
	for _, i := range p.images {
		if !slices.Contains(images, i) {
			return false
		}
	}
	return true
}
