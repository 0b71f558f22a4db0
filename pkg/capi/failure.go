// SPDX-License-Identifier: Apache-2.0

package capi

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// FailureOf returns the reason and message of a terminal failure, both empty if there is none:
// failureReason and failureMessage (v1alpha3 to v1beta1), their deprecated copies in v1beta2, and
// errorReason and errorMessage (v1alpha2).
func FailureOf(u *unstructured.Unstructured) (reason, message string) {
	reason = firstStr(u, []string{"status", "failureReason"}, []string{"status", "deprecated", "v1beta1", "failureReason"},
		[]string{"status", "errorReason"})
	message = firstStr(u, []string{"status", "failureMessage"}, []string{"status", "deprecated", "v1beta1", "failureMessage"},
		[]string{"status", "errorMessage"})
	return reason, message
}
