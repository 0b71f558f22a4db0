// SPDX-License-Identifier: Apache-2.0

// Package nodeimage makes the images that kind and Cluster API's Docker
// provider run nodes and load balancers from, without a registry: their file systems
// come from Debian packages, their programs from Go modules.
package nodeimage
