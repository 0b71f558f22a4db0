// SPDX-License-Identifier: Apache-2.0

// Package kube is one connection to one API server: discovery, reads, server-side apply,
// waits, rights, events and leases. It knows Kubernetes, not Cluster API.
//
//   - One [Client] per API server and run. It discovers once (two requests), counts what it sends
//     ([Client.Requests]) and collects the server's warnings ([Client.Warnings]).
//   - Reads and single writes ([Client.Get], [Client.List], [Client.Create], …) try once; whoever
//     wants more wraps them in [Retry]. [Client.Apply] and [Wait] retry by themselves.
//   - [Classify] is the only place that decides whether an error can heal. What can't heal ends
//     at once; what can is tried until the context's deadline, and the last cause is shown.
//   - Errors are worded for people, name the server or the object, and match the sentinels of
//     this package and the predicates of k8s.io/apimachinery/pkg/api/errors.
//
// A program that uses this package should call [SetLogger] once: client-go logs to stderr otherwise.
package kube
