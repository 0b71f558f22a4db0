// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	_ "embed"
	"strings"
)

//go:embed cni.yaml
var cniManifest string

// storageManifest is the storage class that kind falls back to: volumes are
// folders of the node, made by kube-controller-manager as kind configures it.
//
//go:embed storage.yaml
var storageManifest string

// CNIManifest installs the network in a cluster whose nodes are of the node image.
func CNIManifest() []byte {
	return []byte(strings.ReplaceAll(cniManifest, "CNI_IMAGE", CNIImage))
}

// Manifests is what the node image has to install in a cluster, for the key of the image.
func Manifests() string { return string(CNIManifest()) + storageManifest }
