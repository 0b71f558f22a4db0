// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
	"github.com/clusterctl/clusterctl/pkg/manifest"
)

// How a provider was found.
const (
	sourceDeployment = "deployment"
	sourceImage      = "image"
	sourceInventory  = "inventory"
)

// InstalledProvider is a provider that a cluster holds.
type InstalledProvider struct {
	Name string
	Type Type
	// Version is "vX.Y.Z": that of the inventory, else the tag of its image; empty if it can't be known.
	Version   string
	Namespace string
	// Deployments are the names of its Deployments in the namespace, sorted.
	Deployments []string
	// Source says where the version comes from, or else how the provider was found: "inventory", "deployment", "image".
	Source string

	images []string
}

// Label is the provider's label, for example "infrastructure-docker".
func (p InstalledProvider) Label() string { return Label(p.Type, p.Name) }

// Installed finds the providers on a cluster by what is there: Deployments with a provider's label, then entries of
// upstream's inventory; without a core provider among those, well-known namespaces and images of Deployments that
// something else than clusterctl installed. The result is ordered by type and name.
func Installed(ctx context.Context, c *kube.Client) ([]InstalledProvider, error) {
	found := found{}
	c.Invalidate() // the inventory may have come since the client last asked what is served
	deployments, err := c.List(ctx, deploymentGVK(), kube.ListOptions{LabelSelector: capi.ProviderLabel})
	if err != nil {
		return nil, err
	}
	for _, d := range deployments {
		if t, name, ok := ParseLabel(d.GetLabels()[capi.ProviderLabel]); ok {
			found.deployment(t, name, d, sourceDeployment)
		}
	}
	served, err := inventoryServed(ctx, c)
	if err != nil {
		return nil, err
	}
	if served {
		entries, err := c.List(ctx, inventoryGVK(), kube.ListOptions{})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			found.inventory(e)
		}
	}
	if !found.has(CoreProvider) {
		if err := found.unlabelled(ctx, c); err != nil {
			return nil, err
		}
	}
	return found.sorted(), nil
}

type instance struct {
	label, namespace string
}

// found collects by provider and namespace.
type found map[instance]*InstalledProvider

func (f found) at(t Type, name, namespace string) *InstalledProvider {
	key := instance{Label(t, name), namespace}
	if f[key] == nil {
		f[key] = &InstalledProvider{Type: t, Name: name, Namespace: namespace}
	}
	return f[key]
}

func (f found) has(t Type) bool {
	for _, p := range f {
		if p.Type == t {
			return true
		}
	}
	return false
}

func (f found) deployment(t Type, name string, d *unstructured.Unstructured, source string) {
	p := f.at(t, name, d.GetNamespace())
	p.Deployments = append(p.Deployments, d.GetName())
	p.Source = source
	p.images = append(p.images, manifest.Images([]*unstructured.Unstructured{d})...)
	if ref, err := parseImage(managerImage(d)); err == nil && isVersion(ref.tag) && p.Version == "" {
		p.Version = ref.tag
	}
}

// managerImage is the image of the container that is called "manager" by convention, else of the first one.
func managerImage(d *unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(d.Object, "spec", "template", "spec", "containers")
	first := ""
	for _, c := range containers {
		m, _ := c.(map[string]any)
		name, _, _ := unstructured.NestedString(m, "name")
		image, _, _ := unstructured.NestedString(m, "image")
		if name == "manager" {
			return image
		}
		if first == "" {
			first = image
		}
	}
	return first
}

func (f found) inventory(e *unstructured.Unstructured) {
	field := func(name string) string {
		s, _, _ := unstructured.NestedString(e.Object, name)
		return s
	}
	t, name := Type(field("type")), field("providerName")
	if !t.Valid() || name == "" {
		return
	}
	p := f.at(t, name, e.GetNamespace())
	if v := field("version"); v != "" {
		p.Version = v
		p.Source = sourceInventory
	}
}

// unlabelled looks at all Deployments: installations by plain manifests or other tools may have no labels.
func (f found) unlabelled(ctx context.Context, c *kube.Client) error {
	all, err := c.List(ctx, deploymentGVK(), kube.ListOptions{})
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.GetLabels()[capi.ProviderLabel] != "" {
			continue
		}
		for _, k := range wellKnown() {
			if k.matches(d) {
				f.deployment(k.spec.Type, k.spec.Name, d, sourceImage)
				break
			}
		}
	}
	return nil
}

// known is how a provider looks that was installed without labels.
type known struct {
	spec             Spec
	namespace, image string
}

func wellKnown() []known {
	return []known{
		{Spec{Type: CoreProvider, Name: CoreName}, "capi-system", "cluster-api-controller"},
		{Spec{Type: BootstrapProvider, Name: "kubeadm"}, "capi-kubeadm-bootstrap-system", "kubeadm-bootstrap-controller"},
		{Spec{Type: ControlPlaneProvider, Name: "kubeadm"}, "capi-kubeadm-control-plane-system", "kubeadm-control-plane-controller"},
		{Spec{Type: InfrastructureProvider, Name: "docker"}, "capd-system", "capd-manager"},
	}
}

func (k known) matches(d *unstructured.Unstructured) bool {
	if d.GetNamespace() == k.namespace {
		return true
	}
	for _, image := range manifest.Images([]*unstructured.Unstructured{d}) {
		if ref, err := parseImage(image); err == nil && ref.name == k.image {
			return true
		}
	}
	return false
}

func (f found) sorted() []InstalledProvider {
	out := make([]InstalledProvider, 0, len(f))
	for _, p := range f {
		slices.Sort(p.Deployments)
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b InstalledProvider) int {
		return cmp.Or(cmp.Compare(a.Type.Order(), b.Type.Order()), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Namespace, b.Namespace))
	})
	return out
}

func deploymentGVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
}
