// SPDX-License-Identifier: Apache-2.0

// Package kind runs a bootstrap cluster as containers of this host's container engine (Docker, Podman or nerdctl),
// made with kind's library: no kind program is needed.
//
// # What is ours
//
// Each bootstrap cluster has a directory of mode 0700 with a record: the cluster's name in the engine, which is made up
// for each cluster anew, and the ids of its containers. What the record doesn't name is never started, changed or deleted, also
// when it has the same name. The record is written before the first container and removed after the last one.
//
// # Killed anywhere
//
// A record that isn't complete belongs to a cluster that was being made: what is there of it is removed, and it is made anew. A
// complete one whose containers stand still (the host was started again) is started; one whose containers
// somebody removed is not made anew, because nobody would know what it had made.
package kind
