// SPDX-License-Identifier: Apache-2.0

package cmdutil

import (
	"github.com/spf13/pflag"

	"github.com/clusterctl/clusterctl/pkg/flow"
)

// KindVars adds the flags that say how a kind bootstrap cluster is made.
func KindVars(fl *pflag.FlagSet, k *flow.KindOptions) {
	fl.StringVar(&k.Config, "kind-config", "", "kind configuration of a kind bootstrap cluster (default: one node)")
	fl.StringVar(&k.Image, "kind-image", "", "node image of a kind bootstrap cluster (default: that of the kind release in this program)")
	fl.StringSliceVar(&k.LoadImages, "load-images", nil, "images to put on the nodes of a kind bootstrap cluster: names in the engine, or archive files (repeatable)")
}
