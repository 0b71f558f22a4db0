// SPDX-License-Identifier: Apache-2.0

// Package provider knows where Cluster API providers come from and puts them on a management cluster.
//
// A [Config] is the user's clusterctl.yaml on top of the built-in list. [Config.Resolve] turns "docker:v1.14.2" into a
// [Release] of a repository, which is a local folder tree or a server that hands out plain files; a Release gives
// metadata, templates and [Components], the objects of a provider made ready for a cluster. [Install] makes a cluster
// hold a set of Components and waits until they work; [Installed] says what a cluster holds.
//
// Versions are asked for by name: no list of releases is ever fetched, and files of a version that were fetched once
// are used from a cache without any request.
package provider
