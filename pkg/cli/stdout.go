// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"sync"
)

// checkedWriter remembers the first failed write: a result that didn't arrive is a failed run,
// also where a command doesn't look.
type checkedWriter struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil {
		err = fmt.Errorf("write the result to standard output: %w", err)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}

func (w *checkedWriter) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
