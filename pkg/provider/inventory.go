// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/capi"
	"github.com/clusterctl/clusterctl/pkg/kube"
)

const (
	inventoryGroup   = "clusterctl.cluster.x-k8s.io"
	inventoryVersion = "v1alpha3"
	inventoryKind    = "Provider"
	coreLabel        = "clusterctl.cluster.x-k8s.io/core"
	coreInventory    = "inventory"
)

func inventoryGVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: inventoryGroup, Version: inventoryVersion, Kind: inventoryKind}
}

// inventoryServed says if the cluster knows upstream's inventory.
func inventoryServed(ctx context.Context, c *kube.Client) (bool, error) {
	versions, err := c.Served(ctx, inventoryGVK().GroupKind())
	return slices.Contains(versions, inventoryVersion), err
}

// planInventory adds an entry per provider, so that upstream's clusterctl sees the same as this one; and the kind of
// the entries, if the cluster doesn't have it. An existing definition is left alone.
func (i *installer) planInventory(ctx context.Context, p *plan) error {
	served, err := inventoryServed(ctx, i.kube)
	if err != nil {
		return err
	}
	if !served {
		p.main = append(p.main, inventoryCRD())
	}
	for _, c := range p.comps {
		p.inventory = append(p.inventory, inventoryEntry(c))
	}
	return nil
}

func inventoryEntry(c *Components) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{
		"providerName": c.Entry.Name,
		"type":         string(c.Entry.Type),
		"version":      c.Version,
	}}
	u.SetGroupVersionKind(inventoryGVK())
	u.SetNamespace(c.TargetNamespace)
	u.SetName(c.Label())
	u.SetLabels(map[string]string{ClusterctlLabel: "", capi.ProviderLabel: c.Label(), coreLabel: coreInventory})
	return u
}

func inventoryCRD() *unstructured.Unstructured {
	text := map[string]any{"type": "string"}
	column := func(name, path string) any {
		return map[string]any{"name": name, "type": "string", "jsonPath": path}
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{
			"group": inventoryGroup,
			"scope": "Namespaced",
			"names": map[string]any{
				"kind": inventoryKind, "listKind": "ProviderList", "plural": "providers", "singular": "provider",
				"categories": []any{"cluster-api"},
			},
			"versions": []any{map[string]any{
				"name": inventoryVersion, "served": true, "storage": true,
				"additionalPrinterColumns": []any{
					column("Type", ".type"), column("Provider", ".providerName"), column("Version", ".version"),
					map[string]any{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
				},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type":        "object",
					"description": "An entry in clusterctl's inventory of installed providers.",
					"properties": map[string]any{
						"apiVersion": text, "kind": text, "metadata": map[string]any{"type": "object"},
						"providerName": text, "type": text, "version": text,
						"watchedNamespace": map[string]any{"type": "string", "description": "Not used since v1alpha4: providers watch all namespaces."},
					},
				}},
			}},
		},
	}}
	u.SetGroupVersionKind(crdGVK())
	u.SetName("providers." + inventoryGroup)
	u.SetLabels(map[string]string{ClusterctlLabel: "", coreLabel: coreInventory})
	return u
}
