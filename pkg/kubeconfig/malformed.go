// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrMalformed is what every [*MalformedError] is.
var ErrMalformed = errors.New("malformed kubeconfig")

// Problem says what is wrong with a kubeconfig or with the Secret that should hold one.
type Problem string

// The problems.
const (
	// MissingKey is a Secret without the key "value".
	MissingKey Problem = "missing-key"
	// Empty is a value that is empty or only white space.
	Empty Problem = "empty"
	// EncodedTwice is base64 inside of base64.
	EncodedTwice Problem = "encoded-twice"
	// NotKubeconfig is anything that does not decode as a kubeconfig.
	NotKubeconfig Problem = "not-a-kubeconfig"
	// NoCurrentContext is a kubeconfig that does not say which context to use.
	NoCurrentContext Problem = "no-current-context"
	// Dangling is a name in the kubeconfig that refers to nothing.
	Dangling Problem = "dangling-name"
	// NoServer is a cluster entry without a usable address.
	NoServer Problem = "no-server"
)

// MalformedError says what is wrong, and in which Secret if it came out of one.
type MalformedError struct {
	Problem Problem
	// Detail says more; it never holds a part of a credential.
	Detail string
	// Namespace and Secret are empty when it was not read from a Secret.
	Namespace, Secret string
	// Keys are those that the Secret has, for MissingKey.
	Keys []string
}

// Is makes errors.Is(err, ErrMalformed) true.
func (e *MalformedError) Is(target error) bool { return target == ErrMalformed }

// Error says it in one line.
func (e *MalformedError) Error() string {
	if e.Secret == "" {
		return "kubeconfig: " + e.problem()
	}
	return fmt.Sprintf("secret %s/%s: %s", e.Namespace, e.Secret, e.problem())
}

func (e *MalformedError) problem() string {
	switch e.Problem {
	case MissingKey:
		return fmt.Sprintf("key %q is missing, it has %s", valueKey, e.keys())
	case Empty:
		return "the kubeconfig in it is empty"
	case EncodedTwice:
		return "not a kubeconfig: it was base64-encoded twice"
	case NoCurrentContext:
		return "the kubeconfig has no current-context"
	case NoServer:
		return e.with("the kubeconfig has no server")
	case Dangling:
		return e.with("the kubeconfig does not fit together")
	case NotKubeconfig:
	}
	return e.with("not a kubeconfig")
}

func (e *MalformedError) with(text string) string {
	if e.Detail == "" {
		return text
	}
	return text + ": " + e.Detail
}

func (e *MalformedError) keys() string {
	if len(e.Keys) == 0 {
		return "no keys at all"
	}
	return strings.Join(e.Keys, ", ")
}

// describeYAML tells where the YAML breaks. Of the decoder's texts only those about anchors quote from it.
func describeYAML(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.Contains(text, "anchor") {
		return "it is not YAML"
	}
	return "it is not YAML: " + text
}

// describe tells what a decoder disliked without its text: that can hold whole entries.
func describe(err error) string {
	var corrupt base64.CorruptInputError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &corrupt):
		return "the base64 text of a …-data field is broken"
	case errors.As(err, &kind) && kind.Field != "":
		return "wrong type of value in " + kind.Field
	case strings.Contains(err.Error(), "base64"):
		return "the base64 text of a …-data field is broken"
	}
	return "it does not decode"
}
