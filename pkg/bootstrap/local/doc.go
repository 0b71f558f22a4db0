// SPDX-License-Identifier: Apache-2.0

// Package local runs a bootstrap cluster as processes of this host: etcd,
// kube-apiserver and kube-controller-manager, and each provider Deployment's
// image as a process next to them. It needs Linux and nothing else: no root,
// no container engine.
//
// # Who does what
//
// A supervisor process owns everything of one bootstrap cluster. It outlives the
// command that started it. [Cluster.Ensure] starts it and waits; [Supervise] is
// its main function. There is no control socket: the commands signal the
// supervisor, the supervisor writes what it knows to status.json.
//
// # What is where
//
// Everything lives in one directory of mode 0700 per bootstrap, so that it survives
// a reboot and goes with one rename. Package layout names the files.
//
// # Who may do what
//
// The API server and etcd listen on loopback only, speak TLS with authorities of this
// bootstrap's own and accept nobody without a client certificate; the certificates are
// readable by the owner only. Providers get a certificate for their service account,
// so that their RBAC rules are in force. A provider's health and metrics endpoints are moved to
// loopback. Its webhook server listens where the provider's program makes it listen, which
// for Cluster API's managers is every address: they have a flag for the port only.
//
// # What isn't like a real cluster
//
// One process stands for all replicas of a Deployment, leader election is off, and there are no
// Pod objects. Init containers, volumes of storage classes, and service account tokens in
// volumes are refused, and the Deployment's condition says so. A changed Secret or
// ConfigMap reaches a process when it is next started.
package local
