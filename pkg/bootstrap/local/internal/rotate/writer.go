// SPDX-License-Identifier: Apache-2.0

// Package rotate keeps what a process logs: a file of bounded size, and the last lines at hand.
package rotate

import (
	"bytes"
	"os"
	"sync"
)

const (
	// maxBytes is the size at which a log file becomes FILE.1, in place of the FILE.1 before.
	maxBytes = 16 << 20
	// keepLines is how many lines Last can give.
	keepLines = 20
	// maxLine bounds the memory that one line takes.
	maxLine = 4 << 10
)

// Writer appends to a log file. It is safe for concurrent use.
type Writer struct {
	mu    sync.Mutex
	path  string
	limit int64
	file  *os.File
	size  int64
	part  []byte
	lines []string
}

// Open opens or creates the log file at path (mode 0600).
func Open(path string) (*Writer, error) {
	w := &Writer{path: path, limit: maxBytes}
	return w, w.open()
}

func (w *Writer) open() error {
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return err
	}
	w.file, w.size = f, info.Size()
	return nil
}

// Write never fails for the sake of the log: a full disk must not stop the process that writes to it.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remember(p)
	if w.file != nil && w.size+int64(len(p)) > w.limit {
		w.rotate()
	}
	if w.file != nil {
		n, _ := w.file.Write(p)
		w.size += int64(n)
	}
	return len(p), nil
}

func (w *Writer) rotate() {
	_ = w.file.Close()
	w.file = nil
	_ = os.Rename(w.path, w.path+".1")
	_ = w.open()
}

func (w *Writer) remember(p []byte) {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		if room := maxLine - len(w.part); room > 0 {
			w.part = append(w.part, line[:min(room, len(line))]...)
		}
		p = rest
		if !ended {
			return
		}
		if len(bytes.TrimSpace(w.part)) > 0 {
			w.lines = append(w.lines, string(w.part))
		}
		w.part = w.part[:0]
		if len(w.lines) > keepLines {
			w.lines = append(w.lines[:0], w.lines[len(w.lines)-keepLines:]...)
		}
	}
}

// Last returns the last lines that were written through this Writer, at most n and at most 20 of them; blank ones don't count.
func (w *Writer) Last(n int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := w.lines
	if len(bytes.TrimSpace(w.part)) > 0 {
		lines = append(lines[:len(lines):len(lines)], string(w.part))
	}
	return append([]string(nil), lines[max(0, len(lines)-n):]...)
}

// Forget empties what Last gives: a new process begins.
func (w *Writer) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines, w.part = nil, nil
}

// Close closes the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return err
}
