// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// protocol marks the routes that are ours.
const protocol = 99

// routes are the pod ranges of the other nodes, and the addresses that they
// are behind. A node that has no address or no range yet is left out.
func routes(nodes []node, self string) map[string]string {
	found := map[string]string{}
	for _, node := range nodes {
		if node.Metadata.Name == self || node.Spec.PodCIDR == "" {
			continue
		}
		for _, address := range node.Status.Addresses {
			if address.Type == "InternalIP" && net.ParseIP(address.Address).To4() != nil {
				found[node.Spec.PodCIDR] = address.Address
				break
			}
		}
	}
	return found
}

// setRoutes makes wanted the routes of this node that are ours.
func setRoutes(wanted map[string]string) error {
	for cidr, gateway := range wanted {
		_, destination, err := net.ParseCIDR(cidr)
		if err != nil {
			return err
		}
		route := &netlink.Route{Dst: destination, Gw: net.ParseIP(gateway), Protocol: protocol}
		if err := netlink.RouteReplace(route); err != nil {
			return fmt.Errorf("route to %s by %s: %w", cidr, gateway, err)
		}
	}
	have, err := netlink.RouteListFiltered(unix.AF_INET, &netlink.Route{Protocol: protocol}, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return err
	}
	for _, route := range have {
		if route.Dst == nil || wanted[route.Dst.String()] != "" {
			continue
		}
		if err := netlink.RouteDel(&route); err != nil {
			return fmt.Errorf("remove the route to %s: %w", route.Dst, err)
		}
	}
	return nil
}
