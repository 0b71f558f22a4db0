// SPDX-License-Identifier: Apache-2.0

// Package kubeconfig hands out the credentials of workload clusters: it reads the
// Secret that the Cluster API contract names, changes what a person asks to have
// changed, and writes files.
//
// [Fetch] reads, [Kubeconfig.Rewrite] renames the context or points to another
// address, [WriteFile] and [Merge] write, [Encrypt] encrypts, [Kubeconfig.RESTConfig]
// makes a client configuration. What nobody asked to have changed stays as it is,
// byte by byte when only printed, comments and order included when merged.
//
// No error of this package holds a part of a credential. The errors of the YAML and
// kubeconfig decoders do at times, so their texts are never passed on.
package kubeconfig
