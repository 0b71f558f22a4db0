// SPDX-License-Identifier: Apache-2.0

// Package manifest turns YAML and JSON into Kubernetes objects and back. It knows no server.
//
// The way of a file is: [ReadFiles] → [RenderAll] (variables) → [Parse] → [Check] →
// transformations ([SetNamespace], [MapImages]) → [Waves] (order) or [ToYAML] (text).
//
// Everything that is wrong with a file is said at once, with the name of the file
// and the line in it, and never with a value out of it: values can be secrets.
package manifest
