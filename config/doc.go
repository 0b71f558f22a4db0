// SPDX-License-Identifier: Apache-2.0

// Package config holds the data that the binary carries with it: the providers that are known by name and an
// annotated example of clusterctl.yaml. It only hands out bytes; pkg/provider reads them.
package config
