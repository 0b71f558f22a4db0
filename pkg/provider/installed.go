// SPDX-License-Identifier: Apache-2.0

package provider

// InstalledProvider is a provider that a cluster holds.
type InstalledProvider struct {
	Name string
	Type Type
	// Version is "vX.Y.Z", or empty if it can't be known.
	Version   string
	Namespace string
	// Deployments are the names of its Deployments in the namespace.
	Deployments []string
	// Source says how it was found: "deployment", "image" or "inventory".
	Source string
}

// Label is the provider's label, for example "infrastructure-docker".
func (p InstalledProvider) Label() string { return Label(p.Type, p.Name) }
