// SPDX-License-Identifier: Apache-2.0

// Package testenv starts real control planes for tests: etcd and kube-apiserver as
// processes of this host, and kube-controller-manager's garbage collector and
// namespace controller where a test asks for them.
//
// A test gets its own with [Start]; a package shares one between its tests with [Main].
// Both stop what they started, also when the test process dies.
//
// The programs are looked for in $KUBEBUILDER_ASSETS, else in the parts cache
// ($CLUSTERCTL_PARTS, else ~/.cache/clusterctl-parts) under kube/<[Version]>. A test
// without them fails and says how to get them; it is never skipped in silence.
package testenv
