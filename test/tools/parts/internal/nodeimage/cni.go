// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	_ "embed"
	"strings"
)

//go:embed cni.yaml
var cniManifest string

// CNIManifest installs the network in a cluster whose nodes are of the node image.
func CNIManifest() []byte {
	return []byte(strings.ReplaceAll(cniManifest, "CNI_IMAGE", CNIImage))
}
