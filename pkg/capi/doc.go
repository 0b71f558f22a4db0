// SPDX-License-Identifier: Apache-2.0

// Package capi says what the Cluster API contract says, for every version of it
// from v1alpha2 to v1beta2. It is the only place that knows how they differ.
//
// Objects stay unstructured. A reader such as [ReadCluster] takes one as the API
// server gave it and returns the few facts that others need; a field that a
// version doesn't have is simply its zero value. Nothing here writes.
package capi
