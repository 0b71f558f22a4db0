// SPDX-License-Identifier: Apache-2.0

package capi

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Paused says whether an object itself is paused: spec.paused of a Cluster, or the annotation on anything (its value
// doesn't matter). A paused Cluster also stops what belongs to it.
func Paused(u *unstructured.Unstructured) bool {
	if u.GroupVersionKind().GroupKind() == ClusterGK() && boolean(u, "spec", "paused") {
		return true
	}
	_, annotated := u.GetAnnotations()[PausedAnnotation]
	return annotated
}

// HowToUnpause is the command that unpauses an object, empty if it isn't paused.
func HowToUnpause(u *unstructured.Unstructured) string {
	if !Paused(u) {
		return ""
	}
	name := strings.ToLower(u.GetKind()) + "." + u.GroupVersionKind().Group + " " + u.GetName() + " -n " + u.GetNamespace()
	if u.GroupVersionKind().GroupKind() == ClusterGK() && boolean(u, "spec", "paused") {
		return "kubectl patch " + name + ` --type merge -p '{"spec":{"paused":false}}'`
	}
	return "kubectl annotate " + name + " " + PausedAnnotation + "-"
}

// PausesBySpec says whether Clusters of a version have the field spec.paused. v1alpha2 had not.
func PausesBySpec(version string) bool { return version != "v1alpha2" }
