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
// The API server, etcd and webhooks listen on loopback only and speak TLS with a CA
// of this bootstrap's own. The API server and etcd accept nobody without a client
// certificate, and the certificates are readable by the owner only. Providers get
// a certificate for their service account, so that their RBAC rules are in force.
package local
