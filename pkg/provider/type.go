// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"slices"
	"strings"
)

// Type is the kind of a provider, spelled as in upstream's clusterctl.yaml and inventory.
type Type string

// The types of providers, in the order in which they are installed.
const (
	CoreProvider             Type = "CoreProvider"
	BootstrapProvider        Type = "BootstrapProvider"
	ControlPlaneProvider     Type = "ControlPlaneProvider"
	InfrastructureProvider   Type = "InfrastructureProvider"
	IPAMProvider             Type = "IPAMProvider"
	RuntimeExtensionProvider Type = "RuntimeExtensionProvider"
	AddonProvider            Type = "AddonProvider"
)

// CoreName is the one name that a provider of type CoreProvider can have.
const CoreName = "cluster-api"

// Types returns all types in the order in which they are installed.
func Types() []Type {
	return []Type{
		CoreProvider, BootstrapProvider, ControlPlaneProvider, InfrastructureProvider,
		IPAMProvider, RuntimeExtensionProvider, AddonProvider,
	}
}

// Valid says if t is one of the types.
func (t Type) Valid() bool { return slices.Contains(Types(), t) }

// Order is the position of t among the types, for sorting; unknown types come last.
func (t Type) Order() int {
	if i := slices.Index(Types(), t); i >= 0 {
		return i
	}
	return len(Types())
}

// Flag is the name of the command-line flag that selects providers of the type, without dashes.
func (t Type) Flag() string {
	switch t {
	case CoreProvider:
		return "core"
	case BootstrapProvider:
		return "bootstrap"
	case ControlPlaneProvider:
		return "control-plane"
	case InfrastructureProvider:
		return "infrastructure"
	case IPAMProvider:
		return "ipam"
	case RuntimeExtensionProvider:
		return "runtime-extension"
	case AddonProvider:
		return "addon"
	}
	return ""
}

// Label is the value of the label cluster.x-k8s.io/provider: the name for core, else flag and name, for
// example "infrastructure-docker". The folders of a provider are called the same.
func Label(t Type, name string) string {
	if t == CoreProvider || !t.Valid() {
		return name
	}
	return t.Flag() + "-" + name
}

// ParseLabel is the reverse of Label; ok is false for a label that no provider can have.
func ParseLabel(label string) (t Type, name string, ok bool) {
	if label == CoreName {
		return CoreProvider, CoreName, true
	}
	for _, t := range Types()[1:] {
		if name, found := strings.CutPrefix(label, t.Flag()+"-"); found && name != "" {
			return t, name, true
		}
	}
	return "", "", false
}

func typeNames() string {
	names := make([]string, 0, len(Types()))
	for _, t := range Types() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}
