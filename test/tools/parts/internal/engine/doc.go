// SPDX-License-Identifier: Apache-2.0

// Package engine finds a container engine, or makes one: it installs Debian's
// Docker where none is, starts it by hand, and ends what it started.
package engine
