// SPDX-License-Identifier: Apache-2.0

// Package plan is the list of parts, in the order in which others wait for
// them, and what makes each of them.
package plan
