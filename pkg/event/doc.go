// SPDX-License-Identifier: Apache-2.0

// Package event is how libraries say what they are doing without printing.
//
// A library gets a [Sink] and sends [Event] values to it; pkg/ui turns them into
// a live terminal view, plain lines or JSON lines. Nothing here does I/O.
package event
