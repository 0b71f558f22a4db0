// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Source is text that holds objects.
type Source struct {
	// Name is how errors call it: a path, a URL or "stdin".
	Name string
	// Data is the text: YAML or JSON, any number of documents, UTF-8 (or UTF-16 with a byte order mark).
	Data []byte
	// Lines maps lines of Data to lines of the text that people know, where the two differ because
	// values of several lines went in: line i+1 of Data came from line Lines[i]. Nil means: the same.
	Lines []int
}

// Origin is a place in a source.
type Origin struct {
	// File is the name of the source.
	File string
	// Line counts from 1; 0 means that it isn't known.
	Line int
}

// String is "file:line", or the file alone where the line isn't known.
func (o Origin) String() string {
	if o.Line == 0 {
		return o.File
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Object is an object and the place it came from.
type Object struct {
	*unstructured.Unstructured
	// Origin is where its text begins.
	Origin Origin
}

// Unwrap drops the origins; the objects themselves are shared, not copied.
func Unwrap(objs []Object) []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, len(objs))
	for i := range objs {
		out[i] = objs[i].Unstructured
	}
	return out
}

// Lookup finds the value of a variable; ok is false where it isn't set.
type Lookup func(name string) (value string, ok bool)

// Variable is what a source says about one variable.
type Variable struct {
	// Name is the name alone, without ${ and }.
	Name string
	// Default is the text behind := and its like, as it was written.
	Default string
	// HasDefault says that there is one; it may be empty on purpose.
	HasDefault bool
	// Required says that rendering needs a value of it: some use has no default.
	// It doesn't say whether one is set.
	Required bool
	// Message is what the template says of a missing value: the text behind :? or ?.
	Message string
	// Uses are the places it is used in, in order.
	Uses []Origin
}
