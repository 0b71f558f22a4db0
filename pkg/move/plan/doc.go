// SPDX-License-Identifier: Apache-2.0

// Package plan works out what a move is about, by looking at one management cluster: which objects go, in which order, which
// stay behind and why. It writes nothing.
//
// What belongs to a cluster is found by discovery: kinds of every *.cluster.x-k8s.io group and what is reachable from
// there by ownerReferences, in both directions, and by references in the objects' specs. Labels that upstream's clusterctl
// puts on CRDs aren't needed; where labels ask for an object to be moved they are respected.
//
// [Build] reads, [Plan] is the result; it can be printed as it is.
package plan
