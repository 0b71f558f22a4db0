// SPDX-License-Identifier: Apache-2.0

package cmdutil

// clients are the connections that commands opened.
type clients struct{}
