// SPDX-License-Identifier: Apache-2.0

// Package cli is the command line of parts: build, serve, config and env.
package cli
