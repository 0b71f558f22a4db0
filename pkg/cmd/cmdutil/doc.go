// SPDX-License-Identifier: Apache-2.0

// Package cmdutil is what commands share: the [Factory] with everything that a run needs, flag types that
// name the values they allow, argument checks with messages that help, and completion.
package cmdutil
