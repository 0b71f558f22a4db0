// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ConflictError says which entries of a kubeconfig are in the way.
type ConflictError struct {
	// Path is the file that holds them.
	Path string
	// Entries are the different ones of the same name: `context "a"`, `user "b"`.
	Entries []string
}

// Error says it in one line.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("merge into %s: it has a different %s", e.Path, strings.Join(e.Entries, ", "))
}

// result is a merged document and its text.
type result struct {
	*document
	text      []byte
	unchanged bool
}

// merged adds the entries of k to the text of a file. The text may be empty.
func merged(old []byte, k *Kubeconfig, opts MergeOptions) (*result, error) {
	doc, err := openTarget(old)
	if err != nil {
		return nil, fault.WithHint(fault.WithCode(fault.Usage, fmt.Errorf("merge into %s: not a kubeconfig: %w", opts.Path, err)), "the file was not touched; repair it, or use --output with another one")
	}
	source, err := parseDocument(k.Raw)
	if err != nil {
		return nil, &MalformedError{Problem: NotKubeconfig, Detail: err.Error()}
	}
	if err := conflicts(doc, source, opts); err != nil {
		return nil, err
	}
	r := &result{document: doc, unchanged: len(old) > 0}
	for _, s := range sections() {
		for _, e := range source.entries(s) {
			if have := doc.entry(s, entryName(e)); have == nil || !same(have, e) {
				doc.put(s, clone(e))
				r.unchanged = false
			}
		}
	}
	if opts.SetCurrent && doc.scalar("current-context") != k.Context() {
		doc.set("current-context", k.Context())
		r.unchanged = false
	}
	if r.unchanged {
		return r, nil
	}
	if r.text, err = doc.bytes(); err != nil {
		return nil, err
	}
	return r, proveKept(old, r.text, k, opts)
}

// openTarget parses the file to merge into; kubectl has to be able to read it too.
func openTarget(old []byte) (*document, error) {
	if len(bytes.TrimSpace(old)) == 0 {
		return newDocument(), nil
	}
	if _, err := decode(old); err != nil {
		return nil, err
	}
	return parseDocument(old)
}

// conflicts looks for entries of the same name that differ, in the file and in those that it would hide.
func conflicts(doc, source *document, opts MergeOptions) error {
	if opts.Force {
		return nil
	}
	if err := conflictsIn(opts.Path, doc, source); err != nil {
		return err
	}
	for _, path := range opts.Others {
		data, err := os.ReadFile(path)
		if err != nil || len(bytes.TrimSpace(data)) == 0 {
			continue // kubectl skips it too
		}
		other, err := parseDocument(data)
		if err != nil {
			continue // kubectl complains about that one, it is none of our business
		}
		if err := conflictsIn(path, other, source); err != nil {
			return err
		}
	}
	return nil
}

func conflictsIn(path string, doc, source *document) error {
	e := &ConflictError{Path: path}
	userOnly := true
	for _, s := range sections() {
		for _, want := range source.entries(s) {
			have := doc.entry(s, entryName(want))
			if have == nil || same(have, want) {
				continue
			}
			e.Entries = append(e.Entries, fmt.Sprintf("%s %q", s.item, entryName(want)))
			userOnly = userOnly && s.item == "user"
		}
	}
	switch {
	case len(e.Entries) == 0:
		return nil
	case userOnly:
		return fault.WithHint(fault.WithCode(fault.Refused, e), "same cluster, other credentials: --force replaces them, --context-name NAME keeps both")
	}
	return fault.WithHint(fault.WithCode(fault.Refused, e), "keep both with --context-name NAME, or replace with --force")
}

// same compares two entries by meaning: order, layout, comments and empty fields don't count.
func same(a, b *yaml.Node) bool {
	var x, y any
	if a.Decode(&x) != nil || b.Decode(&y) != nil {
		return false
	}
	return reflect.DeepEqual(prune(x), prune(y))
}

// prune drops empty fields, which kubectl leaves out or writes as it likes.
func prune(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, value := range m {
		switch p := prune(value).(type) {
		case nil:
		case string:
			if p != "" {
				out[key] = p
			}
		case []any:
			if len(p) > 0 {
				out[key] = p
			}
		case map[string]any:
			if len(p) > 0 {
				out[key] = p
			}
		default:
			out[key] = p
		}
	}
	return out
}

var errNotKept = errors.New("the result would not be what it should be")

// proveKept reads the result again, as kubectl would, and compares everything that was
// not to change. It guards against what YAML anchors and odd layouts can do to an edit.
func proveKept(old, next []byte, k *Kubeconfig, opts MergeOptions) error {
	before, err := newView(old)
	if err != nil {
		return fmt.Errorf("merge into %s: %w", opts.Path, errNotKept)
	}
	after, err := newView(next)
	if err != nil {
		return fmt.Errorf("merge into %s: %w", opts.Path, errNotKept)
	}
	ours, err := newView(k.Raw)
	if err != nil {
		return fmt.Errorf("merge into %s: %w", opts.Path, errNotKept)
	}
	if !after.is(before, ours, opts.SetCurrent) {
		return fault.WithHint(fmt.Errorf("merge into %s: %w", opts.Path, errNotKept), "the file was not touched; write to a file of its own with --output")
	}
	return nil
}
