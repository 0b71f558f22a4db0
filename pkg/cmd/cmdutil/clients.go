// SPDX-License-Identifier: Apache-2.0

package cmdutil

// clients are the connections that commands opened.
type clients struct{}

// Close shows what is to be shown once at the end: warnings of API servers.
func (f *Factory) Close() {}
