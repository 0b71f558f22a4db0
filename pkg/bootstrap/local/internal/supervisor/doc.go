// SPDX-License-Identifier: Apache-2.0

// Package supervisor keeps one bootstrap cluster running: the control plane's processes, and
// one process per container of every Deployment in it.
//
// It writes what it knows to status.json and takes no orders but a signal to end, upon
// which it stops providers, then the controller manager, then the API server, then etcd.
// When it is killed the kernel kills everything that it started.
package supervisor
