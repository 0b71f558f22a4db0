// SPDX-License-Identifier: Apache-2.0

// Package graph makes clusters' objects for tests and measurements that need many: Cluster API's core kinds and an infrastructure
// provider of our own invention ("pond"), with the owner references, refs, finalizers, Secrets and statuses that real ones
// have. No controller is needed; CRDs have no schema and no webhooks.
package graph
