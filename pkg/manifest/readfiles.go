// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ReadOptions is what [ReadFiles] needs besides the paths.
type ReadOptions struct {
	// Stdin is read where a path is "-"; nil makes that an error.
	Stdin io.Reader
	// Client fetches URLs; nil means a client that gives up after 30 seconds.
	Client *http.Client
	// MaxBytes limits a single source; 0 means 50 MiB.
	MaxBytes int64
}

const defaultMaxBytes = 50 << 20

// ReadFiles reads sources, in the given order. A path is a file; a folder, whose *.yaml, *.yml and *.json files are
// taken in the order of their names, without its sub-folders and without hidden files; an http or https URL; or "-",
// once, for standard input. What cannot be read, a folder without such a file, and what isn't text are errors of class
// fault.Usage that name the path; all of them are reported at once.
func ReadFiles(ctx context.Context, paths []string, opts ReadOptions) ([]Source, error) {
	if opts.MaxBytes == 0 {
		opts.MaxBytes = defaultMaxBytes
	}
	r := &reader{opts: opts}
	var faults fault.List
	for _, path := range paths {
		faults.Add(r.read(ctx, path))
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read %s: %w", shownName(path), ctx.Err())
		}
	}
	if err := faults.Err(); err != nil {
		return nil, fault.WithCode(fault.Usage, err)
	}
	return r.out, nil
}

type reader struct {
	opts  ReadOptions
	out   []Source
	stdin bool // was read
}

func (r *reader) read(ctx context.Context, path string) error {
	switch {
	case path == "":
		return fault.Usagef("read file: its name is empty")
	case path == "-":
		return r.readStdin(ctx)
	case isURL(path):
		return r.readURL(ctx, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return pathError(path, err)
	}
	if info.IsDir() {
		return r.readFolder(ctx, path)
	}
	return r.readFile(ctx, path)
}

func isURL(path string) bool {
	return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
}

// pathError leaves out the name of the system call.
func pathError(path string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, os.ErrNotExist) {
		if scheme, _, is := strings.Cut(path, "://"); is {
			return fault.Usagef("read %s: %s:// can't be read, only files, folders, http:// and https://", path, scheme)
		}
		return fault.WithHint(fault.Usagef("read %s: no such file or folder", path), "check the path; it is relative to the current folder")
	}
	return fault.WithCode(fault.Usage, fmt.Errorf("read %s: %w", path, err))
}

func (r *reader) readFolder(ctx context.Context, path string) error {
	entries, err := os.ReadDir(path) // sorted by name
	if err != nil {
		return pathError(path, err)
	}
	var faults fault.List
	found := false
	for _, e := range entries {
		if !holdsObjects(e.Name()) {
			continue
		}
		file := filepath.Join(path, e.Name())
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			continue
		}
		found = true
		faults.Add(r.readFile(ctx, file))
	}
	if !found {
		return fault.Usagef("read %s: the folder has no *.yaml, *.yml or *.json file", path)
	}
	return faults.Err()
}

func holdsObjects(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

func (r *reader) readFile(ctx context.Context, path string) error {
	data, err := untilDone(ctx, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return limited(f, r.opts.MaxBytes)
	})
	if err != nil {
		return pathError(path, err)
	}
	return r.add(path, data)
}

// untilDone gives up when ctx ends: a pipe may have no writer, a network file system no server. The read itself can't be
// stopped; it ends with its input, or with the process.
func untilDone(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-done:
		return got.data, got.err
	}
}

func (r *reader) readStdin(ctx context.Context) error {
	switch {
	case r.opts.Stdin == nil:
		return fault.Usagef("read stdin: there is no standard input")
	case r.stdin:
		return fault.Usagef("read stdin: \"-\" can be given only once")
	}
	r.stdin = true
	data, err := untilDone(ctx, func() ([]byte, error) { return limited(r.opts.Stdin, r.opts.MaxBytes) })
	if err != nil {
		return pathError("stdin", err)
	}
	return r.add("stdin", data)
}

func (r *reader) add(name string, data []byte) error {
	src := Source{Name: name, Data: data}
	if bytes.IndexByte(data[:min(len(data), 8192)], 0) >= 0 {
		if _, err := plainText(src); err != nil {
			return err
		}
	}
	r.out = append(r.out, src)
	return nil
}

// limited reads everything, but no more than limit.
func limited(from io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("is larger than %d MiB", limit>>20)
	}
	return data, nil
}
