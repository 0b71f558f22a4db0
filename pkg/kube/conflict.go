// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isFieldConflict says that a server-side apply was turned down because other field managers own what it was to set. Trying again
// doesn't help, other than with a write that met another one (409, too).
func isFieldConflict(err error) bool { return len(conflictCauses(err)) > 0 }

// fieldConflicts names the fields, with who owns them.
func fieldConflicts(err error) string {
	var out []string
	for _, c := range conflictCauses(err) {
		out = append(out, c.Field+" ("+c.Message+")")
	}
	return strings.Join(out, ", ")
}

func conflictCauses(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var out []metav1.StatusCause
	for _, c := range status.Status().Details.Causes {
		if c.Type == metav1.CauseTypeFieldManagerConflict {
			out = append(out, c)
		}
	}
	return out
}
