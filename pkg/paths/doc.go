// SPDX-License-Identifier: Apache-2.0

// Package paths says where clusterctl keeps its files: configuration, cache and state,
// by the XDG base directory rules, each with an override of our own.
package paths
