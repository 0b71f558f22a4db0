// SPDX-License-Identifier: Apache-2.0

// Package bootstrap says what a bootstrap cluster is: the API server from which
// Cluster API makes the first real cluster. The kinds of it are the packages
// below this one: kind (containers of this host), local (processes on this host)
// and existing (any cluster with a kubeconfig). They differ in how they come and go; what runs in them doesn't.
package bootstrap
