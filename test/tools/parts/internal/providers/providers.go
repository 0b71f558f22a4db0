// SPDX-License-Identifier: Apache-2.0

// Package providers lists the Cluster API providers that the parts hold, with
// everything about them that differs.
package providers

import "path/filepath"

// The modules that the providers come from.
const (
	CoreModule = "sigs.k8s.io/cluster-api"
	APIModule  = "sigs.k8s.io/cluster-api/api"
	TestModule = "sigs.k8s.io/cluster-api/test"
)

// Provider is one provider: a manager, its image and its components.
type Provider struct {
	// Name and Type are as in a clusterctl.yaml.
	Name, Type string
	// Label is the provider's folder in a repository.
	Label string
	// Components is the name of its components file in a repository.
	Components string
	// Module holds its source, in the folder Source. Its program is the package there.
	Module, Source string
	// Templates is the folder of its cluster templates, relative to Source, if it has any.
	Templates string
	// Binary is the file name of its manager.
	Binary string
	// Registry and Image are the two parts of the released image's name, without a tag.
	Registry, Image string
	// User is the user that the released image names.
	User string
}

const nonRoot = "65532"

// All returns the four providers.
func All() []Provider {
	return []Provider{
		{
			Name: "cluster-api", Type: "CoreProvider", Label: "cluster-api", Components: "core-components.yaml",
			Module: CoreModule, Source: "core", Binary: "core-manager",
			Registry: "registry.k8s.io/cluster-api", Image: "cluster-api-controller", User: nonRoot,
		},
		{
			Name: "kubeadm", Type: "BootstrapProvider", Label: "bootstrap-kubeadm", Components: "bootstrap-components.yaml",
			Module: CoreModule, Source: "bootstrap/kubeadm", Binary: "kubeadm-bootstrap-manager",
			Registry: "registry.k8s.io/cluster-api", Image: "kubeadm-bootstrap-controller", User: nonRoot,
		},
		{
			Name: "kubeadm", Type: "ControlPlaneProvider", Label: "control-plane-kubeadm", Components: "control-plane-components.yaml",
			Module: CoreModule, Source: "controlplane/kubeadm", Binary: "kubeadm-control-plane-manager",
			Registry: "registry.k8s.io/cluster-api", Image: "kubeadm-control-plane-controller", User: nonRoot,
		},
		{
			// Upstream releases these components as infrastructure-components-development.yaml. Upstream's
			// image runs as root, because it needs the Docker socket.
			Name: "docker", Type: "InfrastructureProvider", Label: "infrastructure-docker", Components: "infrastructure-components.yaml",
			Module: TestModule, Source: "infrastructure/docker", Templates: "templates", Binary: "capd-manager",
			Registry: "gcr.io/k8s-staging-cluster-api", Image: "capd-manager", User: "0",
		},
	}
}

// Package is the import path of the manager.
func (p Provider) Package() string { return p.Module + "/" + p.Source }

// ReleasedImage is the full name of the released image.
func (p Provider) ReleasedImage(version string) string {
	return p.Registry + "/" + p.Image + ":" + version
}

// servedRepository is the last part of the repository that the local registry
// serves every image in.
const servedRepository = "cluster-api"

// ServedRepository is the repository of the images in the registry at address,
// for an `images: {all: {repository: …}}` override: an override replaces all
// of a name before its last segment, so all images are below one repository.
func ServedRepository(address string) string { return address + "/" + servedRepository }

// ServedImage is the image's name in the local registry, without the registry's address.
func (p Provider) ServedImage(version string) string {
	return servedRepository + "/" + p.Image + ":" + version
}

// Dir is the provider's folder in the repository at root.
func (p Provider) Dir(root, version string) string {
	return filepath.Join(root, p.Label, version)
}
