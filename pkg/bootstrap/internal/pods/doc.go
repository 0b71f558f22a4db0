// SPDX-License-Identifier: Apache-2.0

// Package pods reads and patches the few kinds of Kubernetes' own that bootstrap clusters deal with: Deployments, and what their
// pods are and refer to. Client-go's clientset would link in the kinds of every API group, which the program pays for at each start.
package pods
