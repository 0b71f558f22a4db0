// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/clusterctl/clusterctl/test/tools/parts/internal/images"
)

// BalancerImage is the load balancer that Cluster API's Docker provider starts.
const BalancerImage = "kindest/haproxy:v20230606-42a2262b"

// Image is the node image of a version of Kubernetes, by the name that kind
// and the Docker provider derive from it.
func Image(version string) string { return "kindest/node:" + version }

// WriteBalancer writes the load balancer's image as an archive.
func WriteBalancer(filesystem, arch, out string) error {
	layer, err := images.TarLayer(filesystem)
	if err != nil {
		return err
	}
	image, err := images.FromLayers(arch, v1.Config{
		Env: []string{searchPath}, Entrypoint: []string{"haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"},
		StopSignal: "SIGUSR1",
	}, layer)
	if err != nil {
		return err
	}
	return images.WriteArchive(out, map[string]v1.Image{BalancerImage: image})
}

// Recipe is what the file systems depend on, for the key of what is made of them.
func Recipe() []string {
	recipe := append([]string{Suite, tidy, services, proxyCheck, balancerCheck}, Packages...)
	recipe = append(append(recipe, proxyPaths...), balancerPaths...)
	for _, name := range []string{"usr/local/bin/haproxy", "usr/local/etc/haproxy/haproxy.cfg"} {
		recipe = append(recipe, balancerFiles[name])
	}
	return recipe
}
