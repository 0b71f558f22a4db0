// SPDX-License-Identifier: Apache-2.0

package kube

import "io"

// closeBody calls back when an answer's body is closed.
type closeBody struct {
	io.ReadCloser
	onClose func()
}

// Close closes the body.
func (b *closeBody) Close() error {
	defer b.onClose()
	return b.ReadCloser.Close()
}
