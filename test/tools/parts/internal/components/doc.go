// SPDX-License-Identifier: Apache-2.0

// Package components makes what a provider's release consists of (components,
// metadata, templates) from the provider's source, with the kustomize library.
package components
