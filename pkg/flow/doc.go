// SPDX-License-Identifier: Apache-2.0

// Package flow puts the packages below together: create a cluster from nothing,
// delete it and everything that was made for it.
//
// A flow is a list of named steps. Each step looks at the world before it acts,
// so that a flow that was killed at any moment is finished by running it again.
// Nothing depends on the memory of the process that began it; what can't be read
// from a cluster (which bootstrap cluster belongs to a name, where its kubeconfig
// is) stands in a run record without secrets under the state directory.
package flow
