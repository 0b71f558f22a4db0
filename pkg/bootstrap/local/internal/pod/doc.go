// SPDX-License-Identifier: Apache-2.0

// Package pod translates a Deployment's pod into processes of this host: volumes become
// directories, environment and arguments are filled in as a kubelet does, and what
// can't be the same on a host (ports, paths, addresses) is replaced. It starts nothing.
package pod
