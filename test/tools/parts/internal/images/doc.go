// SPDX-License-Identifier: Apache-2.0

// Package images makes images from static binaries, keeps them in an OCI image
// layout, and serves such a layout as a registry.
package images
