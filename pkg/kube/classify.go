// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Class says what an error is good for.
type Class int

// The classes of errors.
const (
	// ClassNone is the class of nil.
	ClassNone Class = iota
	// ClassFatal can't heal by trying again: Forbidden, Invalid, no such kind, no trust, wrong credentials, cancelled.
	ClassFatal
	// ClassRetry can heal by the same request again: no connection, too many requests, the server's own
	// failures, a webhook that doesn't answer yet.
	ClassRetry
	// ClassConflict is a write that was based on an old state: read again, then try again.
	ClassConflict
	// ClassNotFound means that there is no such object, or no such namespace.
	ClassNotFound
	// ClassExists means that there is an object of that name already.
	ClassExists
)

// Classify is the one place that decides what can heal.
func Classify(err error) Class {
	switch {
	case err == nil:
		return ClassNone
	case errors.Is(err, ErrNoKind), errors.Is(err, ErrForbidden), errors.Is(err, ErrUnauthorized), errors.Is(err, ErrTLS):
		return ClassFatal
	case errors.Is(err, context.Canceled):
		return ClassFatal
	}
	if code := statusCode(err); code != 0 {
		return classifyStatus(err, code)
	}
	if ofFile(err) { // its system error would pass for one of the network: every one does
		return ClassFatal
	}
	var network net.Error
	if errors.Is(err, ErrUnreachable) || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) {
		return ClassRetry
	}
	return ClassFatal
}

// ofFile says of an error that it is a file's of this host.
func ofFile(err error) bool {
	var file *fs.PathError
	var link *os.LinkError
	return errors.As(err, &file) || errors.As(err, &link)
}

func classifyStatus(err error, code int) Class {
	switch code {
	case http.StatusNotFound:
		return ClassNotFound
	case http.StatusConflict:
		return classifyConflict(err)
	case http.StatusTooManyRequests, http.StatusRequestTimeout:
		return ClassRetry
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return ClassFatal
	}
	// A field that a built-in kind doesn't have is answered with 500.
	if code < http.StatusInternalServerError || strings.Contains(err.Error(), "failed to create typed") {
		return ClassFatal
	}
	return ClassRetry
}

func classifyConflict(err error) Class {
	switch {
	case apierrors.IsAlreadyExists(err):
		return ClassExists
	case apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict):
		return ClassFatal // somebody else owns the field, now and later
	case strings.Contains(err.Error(), "Precondition failed: UID"):
		return ClassFatal // another object of the same name
	}
	return ClassConflict
}
