// SPDX-License-Identifier: Apache-2.0

// Package ui is what people and scripts see: progress on stderr, results on stdout, tables, errors and questions.
//
// It turns [event.Event] values into a live terminal view, plain lines or JSON lines
// ([View]), prints listings in the formats that every listing has ([Print]), and errors
// with their hints ([PrintError]). It knows no flags, no environment and no cluster.
package ui
