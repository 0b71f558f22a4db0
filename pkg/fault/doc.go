// SPDX-License-Identifier: Apache-2.0

// Package fault gives errors what a person needs besides the cause: a class, from
// which the exit code follows, and a hint that says what to do next.
package fault
